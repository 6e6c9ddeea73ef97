import { t } from 'virtual:texts/auth';
import { useMutation } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast-store.ts';
import { googleNotAvailable } from './failure-text.ts';
import { DiscordMark, GitHubMark, GoogleMark, ReplitMark } from './provider-icons.tsx';
import { redirectToProvider } from './session.ts';

const comingSoon = (name: string) => () =>
  toast({ title: t('soon'), description: t('soonLine', { name }) });

const OTHERS = [
  { name: 'GitHub', icon: <GitHubMark />, onSelect: comingSoon('GitHub') },
  { name: 'Discord', icon: <DiscordMark />, onSelect: comingSoon('Discord') },
  {
    name: 'Replit',
    icon: <ReplitMark />,
    onSelect: (next: string) => redirectToProvider('/api/login', next),
  },
];

/** `next` is where the user goes after signing in. */
export function ProviderButtons({ next }: { next: string }) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <GoogleButton next={next} />
      {OTHERS.map(({ name, icon, onSelect }) => (
        <Button key={name} onClick={() => onSelect(next)}>
          {icon}
          {name}
        </Button>
      ))}
    </div>
  );
}

/** Google receives no request before the click: the first click loads its widget and the code for it. */
function GoogleButton({ next }: { next: string }) {
  const { mutate, isPending } = useMutation({
    mutationFn: async () => (await import('./google.ts')).signInWithGoogle(next),
    onError: () => toast(googleNotAvailable()),
  });
  return (
    <Button busy={isPending} onClick={() => mutate()}>
      {!isPending && <GoogleMark />}
      Google
    </Button>
  );
}
