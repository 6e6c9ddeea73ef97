import { t } from 'virtual:texts/settings';
import type { ProofBody, SignInProvider, User } from '@stolas/backend/contract';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../lib/api.ts';
import { useForm } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { DialogChoice } from '../../ui/dialog.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { showFailure, signInAgain, useAction } from '../auth/index.ts';

/** The names of sign-in providers. */
export const PROVIDERS: Record<SignInProvider, string> = { google: 'Google', replit: 'Replit' };

/** Whether a change was refused because the account has no password and its user signed in too long ago. */
export function useReauthentication(failed: string): {
  isNeeded: boolean;
  onFailure: (error: Error) => void;
} {
  const [isNeeded, setNeeded] = useState(false);
  return {
    isNeeded,
    onFailure: (error) => {
      if (error instanceof ApiError && error.body?.code === 'reauthentication_required')
        setNeeded(true);
      else showFailure(failed)(error);
    },
  };
}

interface ProofFormProps<T> {
  user: User;
  /** The call, with the proof that it needs. */
  send: (proof: ProofBody) => Promise<T>;
  onDone: (result: T) => void;
  /** Title of the notification when it fails. */
  failed: string;
  action: string;
  variant?: 'primary' | 'danger';
  /** It cannot be sent yet. */
  isWaiting?: boolean;
  /** Further fields. */
  children?: ReactNode;
}

/** The form, in a dialog, of a call that needs more than a session: the password, or a fresh sign-in without one. */
export function ProofForm<T>(props: ProofFormProps<T>) {
  const { user, send, onDone, failed, action, variant = 'primary', isWaiting, children } = props;
  const { isNeeded, onFailure } = useReauthentication(failed);
  const { onSubmit, isPending, errorOf } = useForm({
    send: (value) => send(user.hasPassword ? { currentPassword: value('currentPassword') } : {}),
    onDone,
    onFailure,
  });
  return (
    <form onSubmit={onSubmit} className="mt-4">
      <div className="grid gap-4">
        {children}
        {user.hasPassword && (
          <PasswordField
            label={t('currentPassword')}
            name="currentPassword"
            autoComplete="current-password"
            error={errorOf('currentPassword')}
          />
        )}
        {isNeeded && <SignInAgain user={user} />}
      </div>
      <DialogChoice>
        <Button type="submit" variant={variant} busy={isPending} disabled={isWaiting}>
          {action}
        </Button>
      </DialogChoice>
    </form>
  );
}

/** Signs the user in again with a provider and returns here. */
export const SignInAgain = ({ user }: { user: User }) => (
  <div role="alert" className="grid gap-3 text-sm">
    <p>{t('reauthenticate')}</p>
    <div className="flex flex-wrap gap-3">
      {user.signInProviders.map((provider) => (
        <ProviderButton key={provider} provider={provider} />
      ))}
    </div>
  </div>
);

function ProviderButton({ provider }: { provider: SignInProvider }) {
  const { run, isPending } = useAction({
    run: () => signInAgain(provider, '/settings'),
    failed: t('notSignedIn'),
  });
  return (
    <Button onClick={run} busy={isPending}>
      {t('signInAgain', { provider: PROVIDERS[provider] })}
    </Button>
  );
}
