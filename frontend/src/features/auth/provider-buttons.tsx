import { t } from 'virtual:texts/auth';
import type { SignInProvider } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { signInProviders } from '../../lib/page-settings.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast-store.ts';
import { showNoGoogle } from './failure-text.ts';
import { DiscordMark, GitHubMark, GoogleMark, ReplitMark } from './provider-icons.tsx';
import { redirectToProvider } from './session.ts';

const comingSoon = (name: string) => () =>
  toast({ title: t('soon'), description: t('soonLine', { name }) });

interface Provider {
  name: string;
  /** The setting that names it; without one it cannot be set up yet. */
  id?: SignInProvider;
  Control: (props: { next: string }) => ReactNode;
}

const soonProvider = (name: string, icon: ReactNode): Provider => ({
  name,
  Control: () => (
    <Button onClick={comingSoon(name)}>
      {icon}
      {name}
    </Button>
  ),
});

const PROVIDERS: Provider[] = [
  { name: 'Google', id: 'google', Control: GoogleButton },
  soonProvider('GitHub', <GitHubMark />),
  soonProvider('Discord', <DiscordMark />),
  { name: 'Replit', id: 'replit', Control: ReplitButton },
];

const isSetUp = ({ id }: Provider): boolean => id !== undefined && signInProviders().includes(id);

/** The providers that the operator has set up; `next` is where the user goes after signing in. */
export function ProviderButtons({ next }: { next: string }) {
  const providers = PROVIDERS.filter(isSetUp);
  return providers.length > 0 && <Buttons providers={providers} next={next} />;
}

export const hasProviders = (): boolean => PROVIDERS.some(isSetUp);

/** The other providers, shown after a click. */
export function OtherProviders({ next }: { next: string }) {
  const providers = PROVIDERS.filter((provider) => !isSetUp(provider));
  return (
    <details className="mt-6 text-sm">
      <summary className="mx-auto flex w-fit cursor-pointer items-center rounded-sm px-2 py-1 text-muted select-none hover:text-ink pointer-coarse:min-h-11">
        {t('otherWays')}
      </summary>
      <div className="mt-3">
        <Buttons providers={providers} next={next} />
      </div>
    </details>
  );
}

const Buttons = ({ providers, next }: { providers: readonly Provider[]; next: string }) => (
  <div className={providers.length === 1 ? 'grid' : 'grid grid-cols-2 gap-3'}>
    {providers.map(({ name, Control }) => (
      <Control key={name} next={next} />
    ))}
  </div>
);

function ReplitButton({ next }: { next: string }) {
  return (
    <Button onClick={() => redirectToProvider('/api/login', next)}>
      <ReplitMark />
      Replit
    </Button>
  );
}

/** Google receives no request before the click: the first click loads its widget and the code for it. */
function GoogleButton({ next }: { next: string }) {
  const { mutate, isPending } = useMutation({
    mutationFn: async () => (await import('./google.ts')).signInWithGoogle(next),
    onError: () => showNoGoogle(),
  });
  return (
    <Button busy={isPending} onClick={() => mutate()}>
      {!isPending && <GoogleMark />}
      Google
    </Button>
  );
}
