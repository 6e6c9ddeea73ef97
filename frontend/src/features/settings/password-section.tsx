import {
  type ChangePasswordBody,
  type MessageResult,
  MIN_PASSWORD_LENGTH,
  type User,
} from '@stolas/backend/contract';
import { useState } from 'react';
import { language } from '../../i18n/language.ts';
import { t } from '../../i18n/settings.ts';
import { fromServer } from '../../i18n/translate.ts';
import { apiPost } from '../../lib/api.ts';
import { useForm } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toast-store.ts';
import { MailedLink } from '../auth/index.ts';
import { tellFailure } from './failure.ts';
import { PROVIDERS } from './providers.ts';
import { Section } from './section.tsx';
import { useAction } from './use-action.ts';

export function PasswordSection({ user }: { user: User }) {
  const providers = user.signInProviders.map((provider) => PROVIDERS[provider]);
  const names = new Intl.ListFormat(language()).format(providers);
  return (
    <Section title={t('password')} {...(names && { description: t('otherSignIns', { names }) })}>
      {user.hasPassword ? <ChangeForm email={user.email} /> : <SetByLink email={user.email} />}
    </Section>
  );
}

function ChangeForm({ email }: { email: string | null }) {
  const { onSubmit, isPending, errorOf } = useForm({
    send: (value) => {
      const change: ChangePasswordBody = {
        currentPassword: value('currentPassword'),
        newPassword: value('newPassword'),
      };
      return apiPost<MessageResult>('/api/auth/password', change);
    },
    onDone: ({ message }, form) => {
      form.reset();
      toast({ title: t('passwordChanged'), description: fromServer(message) });
    },
    onFailure: tellFailure(t('passwordNotChanged')),
  });
  return (
    <form onSubmit={onSubmit} className="grid gap-4">
      {/* For password managers, which file a password under a name. */}
      <input type="text" autoComplete="username" value={email ?? ''} readOnly hidden />
      <PasswordField
        label={t('currentPassword')}
        name="currentPassword"
        autoComplete="current-password"
        error={errorOf('currentPassword')}
      />
      <PasswordField
        label={t('newPassword')}
        name="newPassword"
        autoComplete="new-password"
        hint={t('passwordHint', { count: MIN_PASSWORD_LENGTH })}
        error={errorOf('newPassword')}
      />
      <Button type="submit" className="justify-self-start" busy={isPending}>
        {t('changePassword')}
      </Button>
    </form>
  );
}

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
