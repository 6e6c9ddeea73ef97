import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { Menu } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent } from 'react';
import { useLocation } from 'wouter';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import { goLive, useConnection } from '../../realtime/index.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { anchorBar, toast } from '../../ui/toast-store.ts';
import { TooltipProvider } from '../../ui/tooltip.tsx';
import { endSession } from '../auth/index.ts';
import { Overlays } from './overlays.tsx';
import { openCommandMenu } from './search/command-menu-store.ts';
import { NEW, select, useSelection } from './selection.ts';
import { deliver, startDelivery } from './sending/deliver.ts';
import { acceptSend } from './sending/post.ts';
import { dismissSlow, showSlow } from './sending/send-errors.ts';
import { forgetDeleted } from './sidebar/forget-deleted.ts';
import { Sidebar } from './sidebar/sidebar.tsx';
import { setDrawerOpen, showOrHideSidebar } from './sidebar-store.ts';
import { SkipLink, SkipLinks } from './skip-links.tsx';
import { endAcceptedEdit } from './thread/user-message-edits.ts';
import { useIsPhone } from './use-media.ts';
import { openShortcutSheet, useShortcuts } from './use-shortcuts.ts';

/** How long the notice of a shared conversation stays: its dot stays longer. */
const SHARED_MS = 10_000;

const SHORTCUTS = {
  newChat: () => select(NEW),
  openCommandMenu,
  toggleSidebar: showOrHideSidebar,
  showSheet: openShortcutSheet,
};

/**
 * What all pages of a signed-in user have in common: the sidebar, the keys and the live connection. It stays mounted from
 * page to page, so the list keeps its place and is not read again.
 */
export function Shell({ user, children }: { user: User; children: ReactNode }) {
  const isChat = useLocation()[0] === '/';
  const selection = useSelection();
  useEffect(() => forgetDeleted(user.id), [user.id]);
  useLive(user.id);
  useDelivery(user);
  useShortcuts(SHORTCUTS);
  return (
    <TooltipProvider>
      <div className="flex h-dvh overflow-clip">
        {isChat ? <SkipLinks /> : <SkipLink to="main">{t('skipToPage')}</SkipLink>}
        <Sidebar user={user} selection={isChat ? selection : null} />
        {isChat ? children : <OtherPage>{children}</OtherPage>}
        <Overlays user={user} />
      </div>
    </TooltipProvider>
  );
}

/** A page other than the chat, which has a header of its own. */
const OtherPage = ({ children }: { children: ReactNode }) => (
  <div className="flex min-w-0 flex-1 flex-col">
    {useIsPhone() && (
      <header ref={anchorBar} className="flex h-14 shrink-0 items-center px-2">
        <IconButton label={t('openSidebar')} onClick={() => setDrawerOpen(true)}>
          <Menu aria-hidden="true" />
        </IconButton>
      </header>
    )}
    {children}
  </div>
);

/**
 * Sends the waiting messages of this browser when the page opens, the browser is online again, or the socket is
 * connected again.
 */
function useDelivery(user: User): void {
  const isConnected = useConnection() === 'connected';
  const current = useEffectEvent(() => user);
  const userId = user.id;
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another user has other messages
  useEffect(() => startDelivery(current()), [userId]);
  useEffect(() => {
    if (isConnected) void deliver(current());
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another user has other messages
  }, [userId, isConnected]);
}

function useLive(userId: string): void {
  useEffect(
    () =>
      goLive({
        onAccount: (user) => queryClient.setQueryData(userQuery.queryKey, user),
        onSessionEnded: () => void endSession(),
        onSlow: showSlow,
        onSlowEnded: dismissSlow,
        onSent: (sent) => {
          acceptSend(userId, sent);
          endAcceptedEdit(sent.message.clientMessageId);
        },
        onShared: ({ id, title, by }) =>
          void toast({
            title: t('sharedWithYou', { name: by.name, title }),
            action: { label: t('openShared'), onSelect: () => select(id) },
            duration: SHARED_MS,
          }),
      }),
    [userId],
  );
}
