import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast-store.ts';
import { DiscordMark, GitHubMark, GoogleMark, ReplitMark } from './provider-icons.tsx';
import { leaveFor } from './session.ts';

const comingSoon = (name: string) => () =>
  toast({ title: 'Coming Soon', description: `${name} login will be available soon.` });

/** Google is told of nobody before they press this: its widget, and our code for it, come with the first press. */
async function google(next: string): Promise<void> {
  const { signInWithGoogle } = await import('./google.ts');
  await signInWithGoogle(next);
}

const OTHERS = [
  { name: 'GitHub', icon: <GitHubMark />, onSelect: comingSoon('GitHub') },
  { name: 'Discord', icon: <DiscordMark />, onSelect: comingSoon('Discord') },
  {
    name: 'Replit',
    icon: <ReplitMark />,
    onSelect: (next: string) => leaveFor('/api/login', next),
  },
];

/** `next` is where the person goes after signing in. */
export function ProviderButtons({ next }: { next: string }) {
  return (
    <div className="grid grid-cols-2 gap-3">
      <Button onClick={() => void google(next)}>
        <GoogleMark />
        Google
      </Button>
      {OTHERS.map(({ name, icon, onSelect }) => (
        <Button key={name} onClick={() => onSelect(next)}>
          {icon}
          {name}
        </Button>
      ))}
    </div>
  );
}
