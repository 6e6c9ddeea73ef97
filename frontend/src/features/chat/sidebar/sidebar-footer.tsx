import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/chat';
import { mayChat, type User } from '@stolas/backend/contract';
import {
  Brain,
  Drama,
  Files,
  Keyboard,
  LogOut,
  type LucideIcon,
  Moon,
  Settings,
  Sun,
  UsersRound,
} from 'lucide-react';
import { type ComponentProps, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { hasPlans } from '../../../lib/page-settings.ts';
import { toggleTheme, useTheme } from '../../../lib/theme.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { Button } from '../../../ui/button.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { useSignOut } from '../../auth/index.ts';
import { useHasWorkspace } from '../../workspaces/index.ts';
import { useIsPhone } from '../use-media.ts';
import { openShortcutSheet } from '../use-shortcuts.ts';

const UpgradeButton = lazyPart(async () => (await import('../../billing/index.ts')).UpgradeButton);

const nameOf = ({ firstName, lastName, email }: User): string =>
  `${firstName} ${lastName}`.trim() || email || common('guest');

// docs/product.md, 'Screens'.
const UserAvatar = ({ firstName, email }: User) => <Avatar name={firstName || email || 'U'} />;

const planOf = ({ subscriptionPlan }: User): string => t(subscriptionPlan ?? 'noPlan');

export function SidebarFooter({ user }: { user: User }) {
  const { signOut, isPending } = useSignOut();
  const theme = useThemeToggle();
  const places = usePlaces(user);
  return (
    <footer className="grid gap-2 border-t border-line p-3">
      {/* Two columns where the longest word has room in each. */}
      <ul className="grid grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))] gap-0.5">
        {places.map((place) => (
          <li key={place.href}>
            <PlaceLink {...place} />
          </li>
        ))}
      </ul>
      <div className="flex min-w-0 items-center gap-3 px-1 py-1">
        <UserAvatar {...user} />
        <div className="min-w-0 flex-1">
          <p dir="auto" className="truncate text-sm font-medium" title={nameOf(user)}>
            {nameOf(user)}
          </p>
          {hasPlans() && (
            <p className="truncate text-xs text-muted">
              {mayChat(user) ? planOf(user) : <PlansLink user={user} />}
            </p>
          )}
        </div>
        <ShortcutsButton size="sm" />
      </div>
      {user.subscriptionPlan === 'starter' && <Upgrade />}
      <div className="flex justify-between gap-1">
        <Button variant="ghost" size="sm" className="px-2" onClick={toggleTheme}>
          <theme.Icon aria-hidden="true" className="size-4" />
          {theme.label}
        </Button>
        <Button variant="ghost" size="sm" className="px-2" busy={isPending} onClick={signOut}>
          {!isPending && <LogOut aria-hidden="true" className="size-4" />}
          {common('signOut')}
        </Button>
      </div>
    </footer>
  );
}

/** Users who may not chat reach the plans only by this link. */
const PlansLink = ({ user }: { user: User }) => (
  <Link
    href="/subscription"
    className="inline-flex items-center rounded-sm text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11"
  >
    {planOf(user)}
  </Link>
);

/** The dialog's code is loaded after the sidebar; a click before that opens it once it is there. */
function Upgrade() {
  const [isWanted, setWanted] = useState(false);
  return (
    <UpgradeButton
      fallback={<Button onClick={() => setWanted(true)}>{t('upgradeToPro')}</Button>}
      opened={isWanted}
    />
  );
}

/** The same controls in the rail, which is 64 px wide. */
export function SidebarRailFooter({ user }: { user: User }) {
  const { signOut, isPending } = useSignOut();
  const theme = useThemeToggle();
  const places = usePlaces(user);
  return (
    <div className="mt-auto grid justify-items-center gap-2">
      {places.map(({ href, name, Icon }) => (
        <IconButton key={href} asChild label={common(name)} side="right">
          <Link href={href}>
            <Icon aria-hidden="true" />
          </Link>
        </IconButton>
      ))}
      <ShortcutsButton side="right" />
      <IconButton label={theme.label} side="right" onClick={toggleTheme}>
        <theme.Icon aria-hidden="true" />
      </IconButton>
      <IconButton label={common('signOut')} side="right" disabled={isPending} onClick={signOut}>
        <LogOut aria-hidden="true" />
      </IconButton>
      <UserAvatar {...user} />
      <span className="sr-only">
        {nameOf(user)}, {planOf(user)}
      </span>
    </div>
  );
}

interface Place {
  href: string;
  name: 'files' | 'memory' | 'personas' | 'settings' | 'workspace';
  Icon: LucideIcon;
}

const PLACES: readonly Place[] = [
  { href: '/files', name: 'files', Icon: Files },
  { href: '/memory', name: 'memory', Icon: Brain },
  { href: '/personas', name: 'personas', Icon: Drama },
  { href: '/settings', name: 'settings', Icon: Settings },
];

const WORKSPACE: Place = { href: '/workspace', name: 'workspace', Icon: UsersRound };

const usePlaces = (user: User): readonly Place[] =>
  useHasWorkspace(user) ? [...PLACES, WORKSPACE] : PLACES;

const PlaceLink = ({ href, name, Icon }: Place) => (
  <Link
    href={href}
    replace={useIsPhone()}
    aria-current={useLocation()[0] === href ? 'page' : undefined}
    className="flex h-9 items-center gap-2.5 rounded-sm px-2 text-sm text-muted transition-colors duration-150 ease-out hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-ink pointer-coarse:h-11"
  >
    <Icon aria-hidden="true" className="size-4 shrink-0" />
    {common(name)}
  </Link>
);

const ShortcutsButton = (looks: Pick<ComponentProps<typeof IconButton>, 'side' | 'size'>) => (
  <IconButton
    label={t('shortcuts')}
    shortcut={t('shortcutsKeys')}
    className="pointer-coarse:hidden"
    onClick={openShortcutSheet}
    {...looks}
  >
    <Keyboard aria-hidden="true" />
  </IconButton>
);

/** The label names the theme that a click leads to. */
function useThemeToggle() {
  return useTheme() === 'dark'
    ? { label: t('lightMode'), Icon: Sun }
    : { label: t('darkMode'), Icon: Moon };
}
