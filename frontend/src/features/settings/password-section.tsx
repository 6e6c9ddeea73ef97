import {
  type ChangePasswordBody,
  type MessageResult,
  MIN_PASSWORD_LENGTH,
  type User,
} from '@stolas/backend/contract';
import { apiPost } from '../../lib/api.ts';
import { useForm } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toast-store.ts';
import { tellFailure } from './failure.ts';
import { PROVIDERS } from './providers.ts';
import { Section } from './section.tsx';
import { useAction } from './use-action.ts';

export function PasswordSection({ user }: { user: User }) {
  const names = user.signInProviders.map((provider) => PROVIDERS[provider]).join(' and ');
  return (
    <Section title="Password" {...(names && { description: `You also sign in with ${names}.` })}>
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
      toast({ title: 'Password changed', description: message });
    },
    onFailure: tellFailure('Your password was not changed'),
  });
  return (
    <form onSubmit={onSubmit} className="grid gap-4">
      {/* For password managers, which file a password under a name. */}
      <input type="text" autoComplete="username" value={email ?? ''} readOnly hidden />
      <PasswordField
        label="Current password"
        name="currentPassword"
        autoComplete="current-password"
        error={errorOf('currentPassword')}
      />
      <PasswordField
        label="New password"
        name="newPassword"
        autoComplete="new-password"
        hint={`At least ${MIN_PASSWORD_LENGTH} characters. Other browsers are signed out.`}
        error={errorOf('newPassword')}
      />
      <Button type="submit" className="justify-self-start" busy={isPending}>
        Change Password
      </Button>
    </form>
  );
}

function SetByLink({ email }: { email: string | null }) {
  const { run, isPending } = useAction({
    run: () => apiPost<MessageResult>('/api/auth/password/forgot', { email }),
    onDone: () => toast({ title: 'The link is on its way' }),
    failed: 'The link was not sent',
  });
  return (
    <>
      <p className="text-sm">This account has no password.</p>
      <Button className="justify-self-start" onClick={run} busy={isPending}>
        Send Me a Link to Set One
      </Button>
    </>
  );
}
