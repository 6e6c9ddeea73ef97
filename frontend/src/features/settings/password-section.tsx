import { t } from 'virtual:texts/settings';
import {
  type ChangePasswordBody,
  type MessageResult,
  MIN_PASSWORD_LENGTH,
  type User,
} from '@stolas/backend/contract';
import { useState } from 'react';
import { language } from '../../i18n/language.ts';
import { fromServer } from '../../i18n/translate.ts';
import { apiPost } from '../../lib/api.ts';
import type { FormValues } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toast-store.ts';
import { MailedLink, showFailure, useAction } from '../auth/index.ts';
import { PROVIDERS } from './reauthentication.tsx';
import { Section } from './section.tsx';

export function PasswordSection({ user }: { user: User }) {
  const providers = user.signInProviders.map((provider) => PROVIDERS[provider]);
  const names = new Intl.ListFormat(language()).format(providers);
  return (
    <Section title={t('password')} {...(names && { description: t('otherSignIns', { names }) })}>
      {user.hasPassword ? <ChangeForm email={user.email} /> : <SetByLink email={user.email} />}
    </Section>
  );
}

const changePassword = (value: FormValues) => {
  const change: ChangePasswordBody = {
    currentPassword: value('currentPassword'),
    newPassword: value('newPassword'),
  };
  return apiPost<MessageResult>('/api/auth/password', change);
};

const ChangeForm = ({ email }: { email: string | null }) => (
  <Form
    send={changePassword}
    onDone={({ message }, form) => {
      form.reset();
      toast({ title: t('passwordChanged'), description: fromServer(message) });
    }}
    onFailure={showFailure(t('passwordNotChanged'))}
    action={t('changePassword')}
  >
    {/* For password managers, which file a password under a name. */}
    <input type="text" autoComplete="username" value={email ?? ''} readOnly hidden />
    <PasswordField
      label={t('currentPassword')}
      name="currentPassword"
      autoComplete="current-password"
    />
    <PasswordField
      label={t('newPassword')}
      name="newPassword"
      autoComplete="new-password"
      hint={t('passwordHint', { count: MIN_PASSWORD_LENGTH })}
    />
  </Form>
);

function SetByLink({ email }: { email: string | null }) {
  const [asked, setAsked] = useState<Date>();
  const { run, isPending } = useAction({
    run: () => {
      setAsked(new Date());
      return apiPost<MessageResult>('/api/auth/password/forgot', { email });
    },
    onDone: () => toast({ title: t('linkOnItsWay') }),
    failed: t('linkNotSent'),
  });
  return (
    <>
      <p className="text-sm">{t('noPassword')}</p>
      <Button className="justify-self-start" onClick={run} busy={isPending}>
        {t('sendSetLink')}
      </Button>
      {email !== null && asked && <MailedLink email={email} page="reset-password" since={asked} />}
    </>
  );
}
