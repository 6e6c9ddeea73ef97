import { t } from 'virtual:texts/settings';
import type { ChangeEmailBody, MessageResult, User } from '@stolas/backend/contract';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { fromServer } from '../../i18n/translate.ts';
import { apiDelete, apiPost } from '../../lib/api.ts';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import type { FormValues } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Field } from '../../ui/input.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { Row } from '../../ui/row.tsx';
import { toast } from '../../ui/toast-store.ts';
import { MailedLink, useAction } from '../auth/index.ts';
import { SignInAgain, useReauthentication } from './reauthentication.tsx';
import { Section } from './section.tsx';

export function EmailSection({ user }: { user: User }) {
  const [changing, setChanging] = useState(false);
  const unproven = user.pendingEmail ?? (user.emailVerified ? null : user.email);
  return (
    <Section title={t('email')} description={t('emailNote')}>
      <Row
        label={user.email ?? t('noAddress')}
        value={user.email && <Standing verified={user.emailVerified} />}
      >
        {!changing && <Button onClick={() => setChanging(true)}>{t('changeEmail')}</Button>}
      </Row>
      {user.pendingEmail && (
        <Row label={user.pendingEmail} value={t('pending')}>
          <Cancel />
        </Row>
      )}
      {unproven && <Resend />}
      {unproven && <MailedLink email={unproven} page="verify-email" since={new Date(0)} />}
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
    {verified ? t('confirmed') : t('unconfirmed')}
  </span>
);

function Cancel() {
  const { run, isPending } = useAction({
    run: () => apiDelete<User>('/api/auth/email/pending'),
    onDone: (user) => queryClient.setQueryData(userQuery.queryKey, user),
    failed: t('changeNotCancelled'),
  });
  return (
    <Button onClick={run} busy={isPending}>
      {t('cancelChange')}
    </Button>
  );
}

function Resend() {
  const { run, isPending } = useAction({
    run: () => apiPost<MessageResult>('/api/auth/email/resend'),
    onDone: ({ message }) => toast({ title: fromServer(message) }),
    failed: t('linkNotSent'),
  });
  return (
    <Button className="justify-self-start" onClick={run} busy={isPending}>
      {t('resend')}
    </Button>
  );
}

function ChangeForm({ user, onClose }: { user: User; onClose: () => void }) {
  const { isNeeded, onFailure } = useReauthentication(t('emailNotChanged'));
  const send = (value: FormValues) => {
    const change: ChangeEmailBody = {
      email: value('email'),
      ...(user.hasPassword && { currentPassword: value('currentPassword') }),
    };
    return apiPost<MessageResult>('/api/auth/email', change);
  };
  return (
    <Form
      send={send}
      onDone={({ message }) => {
        toast({ title: t('confirmAddress'), description: fromServer(message) });
        onClose();
      }}
      onFailure={onFailure}
      action={t('sendLink')}
      isPrimary
      onCancel={onClose}
    >
      <Field label={t('newEmail')} name="email" type="email" autoComplete="email" required />
      {user.hasPassword && (
        <PasswordField
          label={t('currentPassword')}
          name="currentPassword"
          autoComplete="current-password"
        />
      )}
      {isNeeded && <SignInAgain user={user} />}
    </Form>
  );
}
