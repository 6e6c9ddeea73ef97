import type { ChangeEmailBody, MessageResult, User } from '@stolas/backend/contract';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { t as common } from '../../i18n/app.ts';
import { t } from '../../i18n/settings.ts';
import { fromServer } from '../../i18n/translate.ts';
import { apiPost } from '../../lib/api.ts';
import { useForm } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/input.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toast-store.ts';
import { MailedLink } from '../auth/index.ts';
import { SignInAgain, useReauthentication } from './reauthentication.tsx';
import { Row, Section } from './section.tsx';
import { useAction } from './use-action.ts';

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
      {user.pendingEmail && <Row label={user.pendingEmail} value={t('pending')} />}
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
  const { onSubmit, isPending, errorOf } = useForm({
    send: (value) => {
      const change: ChangeEmailBody = {
        email: value('email'),
        ...(user.hasPassword && { currentPassword: value('currentPassword') }),
      };
      return apiPost<MessageResult>('/api/auth/email', change);
    },
    onDone: ({ message }) => {
      toast({ title: t('confirmAddress'), description: fromServer(message) });
      onClose();
    },
    onFailure,
  });
  return (
    <form onSubmit={onSubmit} className="grid gap-4">
      <Field
        label={t('newEmail')}
        name="email"
        type="email"
        autoComplete="email"
        required
        error={errorOf('email')}
      />
      {user.hasPassword && (
        <PasswordField
          label={t('currentPassword')}
          name="currentPassword"
          autoComplete="current-password"
          error={errorOf('currentPassword')}
        />
      )}
      {isNeeded && <SignInAgain user={user} />}
      <div className="flex gap-3">
        <Button type="submit" variant="primary" busy={isPending}>
          {t('sendLink')}
        </Button>
        <Button onClick={onClose}>{common('cancel')}</Button>
      </div>
    </form>
  );
}
