import type { ChangeEmailBody, MessageResult, User } from '@stolas/backend/contract';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { apiPost } from '../../lib/api.ts';
import { useForm } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/input.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toast-store.ts';
import { tellFailure } from './failure.ts';
import { Row, Section } from './section.tsx';
import { useAction } from './use-action.ts';

export function EmailSection({ user }: { user: User }) {
  const [changing, setChanging] = useState(false);
  return (
    <Section title="E-mail" description="Where mails about your account go.">
      <Row label={user.email ?? 'No address'} value={<Standing verified={user.emailVerified} />}>
        {!changing && <Button onClick={() => setChanging(true)}>Change E-mail</Button>}
      </Row>
      {user.pendingEmail && (
        <Row label={user.pendingEmail} value="Takes its place once the mailed link was opened." />
      )}
      {(!user.emailVerified || user.pendingEmail) && <Resend />}
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
    {verified ? 'Confirmed' : 'Not confirmed yet: open the link in the mail that we sent.'}
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
    onFailure: tellFailure('Your e-mail address was not changed'),
  });
  return (
    <form onSubmit={onSubmit} className="grid gap-4">
      <Field
        label="New e-mail"
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
      <div className="flex gap-3">
        <Button type="submit" variant="primary" busy={isPending}>
          Send Link
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
}
