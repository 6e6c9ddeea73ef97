import type { DeleteAccountBody, MessageResult, User } from '@stolas/backend/contract';
import { useState } from 'react';
import { apiDelete } from '../../lib/api.ts';
import { useForm } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogClose, DialogContent } from '../../ui/dialog.tsx';
import { Field } from '../../ui/input.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { leave } from '../auth/index.ts';
import { SignInAgain, useReauthentication } from './reauthentication.tsx';
import { Section } from './section.tsx';

export function DeleteSection({ user }: { user: User }) {
  const [open, setOpen] = useState(false);
  return (
    <Section title="Delete account" description="For good, with everything in it.">
      <Button variant="danger" className="justify-self-start" onClick={() => setOpen(true)}>
        Delete Account
      </Button>
      <Dialog open={open} onOpenChange={setOpen}>
        <DialogContent
          title="Delete your account?"
          description="Your conversations, your files, your plan and your account are removed. This cannot be undone."
        >
          <DeleteForm user={user} />
        </DialogContent>
      </Dialog>
    </Section>
  );
}

function DeleteForm({ user }: { user: User }) {
  const { isNeeded, onFailure } = useReauthentication('Your account was not deleted');
  const { onSubmit, isPending, errorOf } = useForm({
    send: (value) => {
      const proof: DeleteAccountBody = user.hasPassword
        ? { currentPassword: value('currentPassword') }
        : {};
      return apiDelete<MessageResult>('/api/auth/user', proof);
    },
    onDone: () => void leave(),
    onFailure,
  });
  return (
    <form onSubmit={onSubmit} className="mt-4">
      {user.hasPassword && (
        <PasswordField
          label="Current password"
          name="currentPassword"
          autoComplete="current-password"
          error={errorOf('currentPassword')}
        />
      )}
      {!user.hasPassword && user.email !== null && <TypedAddress email={user.email} />}
      {isNeeded && <SignInAgain user={user} />}
      <DialogActions>
        <DialogClose asChild>
          <Button>Cancel</Button>
        </DialogClose>
        <Button type="submit" variant="danger" busy={isPending}>
          Delete Account
        </Button>
      </DialogActions>
    </form>
  );
}

/** Prevents a deletion by mistake. */
const TypedAddress = ({ email }: { email: string }) => (
  <Field
    label={`Type ${email} to confirm`}
    name="email"
    autoComplete="off"
    required
    pattern={email.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)}
    title={email}
  />
);
