import type { DeleteAccountBody, DeletionResult, User } from '@stolas/backend/contract';
import { useState } from 'react';
import { t as common } from '../../i18n/app.ts';
import { t } from '../../i18n/settings.ts';
import { apiDelete } from '../../lib/api.ts';
import { removeItem } from '../../lib/storage.ts';
import { useForm } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogClose, DialogContent } from '../../ui/dialog.tsx';
import { Field } from '../../ui/input.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { endingSession, leave } from '../auth/index.ts';
import { SignInAgain, useReauthentication } from './reauthentication.tsx';
import { Section } from './section.tsx';

export function DeleteSection({ user }: { user: User }) {
  const [open, setOpen] = useState(false);
  return (
    <Section title={t('delete')} description={t('deleteNote')}>
      <Button variant="danger" className="justify-self-start" onClick={() => setOpen(true)}>
        {t('deleteAccount')}
      </Button>
      <Dialog open={open} onOpenChange={setOpen}>
        <DialogContent title={t('askDelete')} description={t('deleteText')}>
          <DeleteForm user={user} />
        </DialogContent>
      </Dialog>
    </Section>
  );
}

function DeleteForm({ user }: { user: User }) {
  const { isNeeded, onFailure } = useReauthentication(t('notDeleted'));
  const { onSubmit, isPending, errorOf } = useForm({
    send: (value) => {
      const proof: DeleteAccountBody = user.hasPassword
        ? { currentPassword: value('currentPassword') }
        : {};
      return endingSession(() => apiDelete<DeletionResult>('/api/auth/user', proof));
    },
    onDone: ({ receiptId }) => {
      // They outlast a sign-out, but not the account.
      removeItem(`stars:${user.id}`);
      void leave(`/deleted/${receiptId}`);
    },
    onFailure,
  });
  return (
    <form onSubmit={onSubmit} className="mt-4">
      {user.hasPassword && (
        <PasswordField
          label={t('currentPassword')}
          name="currentPassword"
          autoComplete="current-password"
          error={errorOf('currentPassword')}
        />
      )}
      {!user.hasPassword && user.email !== null && <TypedAddress email={user.email} />}
      {isNeeded && <SignInAgain user={user} />}
      <DialogActions>
        <DialogClose asChild>
          <Button>{common('cancel')}</Button>
        </DialogClose>
        <Button type="submit" variant="danger" busy={isPending}>
          {t('deleteAccount')}
        </Button>
      </DialogActions>
    </form>
  );
}

/** Prevents a deletion by mistake. */
const TypedAddress = ({ email }: { email: string }) => (
  <Field
    label={t('typeToConfirm', { email })}
    name="email"
    autoComplete="off"
    required
    pattern={email.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)}
    title={email}
  />
);
