import type { ChangeEmailBody, MessageResult, User } from '@stolas/backend/contract';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { apiPost } from '../../lib/api.ts';
import { useForm } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/input.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toast-store.ts';
import { SignInAgain, useReauthentication } from './reauthentication.tsx';
import { Row, Section } from './section.tsx';
import { useAction } from './use-action.ts';

export function EmailSection({ user }: { user: User }) {
  const [changing, setChanging] = useState(false);
  return (
    <Section title="Email" description="Where emails about your account go.">
      <Row
        label={user.email ?? 'No address'}
        value={user.email && <Standing verified={user.emailVerified} />}
      >
        {!changing && <Button onClick={() => setChanging(true)}>Change Email</Button>}
      </Row>
      {user.pendingEmail && (
        <Row
          label={user.pendingEmail}
          value="Replaces it once you have confirmed it by the link in the email."
        />
      )}
      {(user.pendingEmail ?? (user.emailVerified ? null : user.email)) && <Resend />}
      {changing && <ChangeForm user={user} onClose={() => setChanging(false)} />}
    </Section>
  );
}

const Standing = ({ verified }: { verified: boolean }) => (
  <span className="inline-flex items-center gap-1.5">
    {verified ? (
      <CircleCheck aria-hidden="true" className="size-4 text-success" />
    ) : (
      <CircleAlert aria-hidden="true" className="size-4 text-accent" />
    )}
    {verified ? 'Confirmed' : 'Not confirmed yet: open the link in the email that we sent.'}
  </span>
);

function Resend() {
  const { run, isPending } = useAction({
    run: () => apiPost<MessageResult>('/api/auth/email/resend'),
    onDone: ({ message }) => toast({ title: message }),
    failed: 'The link was not sent',
  });
  return (
    <Button className="justify-self-start" onClick={run} busy={isPending}>
      Send the Link Again
    </Button>
  );
}

function ChangeForm({ user, onClose }: { user: User; onClose: () => void }) {
  const { isNeeded, onFailure } = useReauthentication('Your email address was not changed');
  const { onSubmit, isPending, errorOf } = useForm({
    send: (value) => {
      const change: ChangeEmailBody = {
        email: value('email'),
        ...(user.hasPassword && { currentPassword: value('currentPassword') }),
      };
      return apiPost<MessageResult>('/api/auth/email', change);
    },
    onDone: ({ message }) => {
      toast({ title: 'Confirm the new address', description: message });
      onClose();
    },
    onFailure,
  });
  return (
    <form onSubmit={onSubmit} className="grid gap-4">
      <Field
        label="New email"
        name="email"
        type="email"
        autoComplete="email"
        required
        error={errorOf('email')}
      />
      {user.hasPassword && (
        <PasswordField
          label="Current password"
          name="currentPassword"
          autoComplete="current-password"
          error={errorOf('currentPassword')}
        />
      )}
      {isNeeded && <SignInAgain user={user} />}
      <div className="flex gap-3">
        <Button type="submit" variant="primary" busy={isPending}>
          Send Link
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}
