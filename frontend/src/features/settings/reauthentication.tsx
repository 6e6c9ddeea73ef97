import type { SignInProvider, User } from '@stolas/backend/contract';
import { useState } from 'react';
import { t } from '../../i18n/settings.ts';
import { ApiError } from '../../lib/api.ts';
import { Button } from '../../ui/button.tsx';
import { signInAgain } from '../auth/index.ts';
import { tellFailure } from './failure.ts';
import { PROVIDERS } from './providers.ts';
import { useAction } from './use-action.ts';

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
      else tellFailure(failed)(error);
    },
  };
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
