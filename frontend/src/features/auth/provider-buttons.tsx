import { goTo } from '../../lib/location.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast-store.ts';
import { DiscordMark, GitHubMark, GoogleMark, ReplitMark } from './provider-icons.tsx';

const comingSoon = (name: string) => () =>
  toast({ title: 'Coming Soon', description: `${name} login will be available soon.` });

const PROVIDERS = [
  {
    name: 'Google',
    icon: <GoogleMark />,
    onSelect: () =>
      toast({
        variant: 'destructive',
        title: 'Google Sign-In Not Available',
        description: 'Please refresh the page and try again.',
      }),
  },
  { name: 'GitHub', icon: <GitHubMark />, onSelect: comingSoon('GitHub') },
  { name: 'Discord', icon: <DiscordMark />, onSelect: comingSoon('Discord') },
  { name: 'Replit', icon: <ReplitMark />, onSelect: () => goTo('/api/login') },
];

export function ProviderButtons() {
  return (
    <div className="grid grid-cols-2 gap-3">
      {PROVIDERS.map(({ name, icon, onSelect }) => (
        <Button key={name} onClick={onSelect}>
          {icon}
          {name}
        </Button>
      ))}
    </div>
  );
}
