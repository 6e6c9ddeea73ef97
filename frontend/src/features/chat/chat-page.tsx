import type { User } from '@stolas/backend/contract';
import { Menu, SquarePen } from 'lucide-react';
import { lazy, Suspense, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import { goLive, useConnection } from '../../realtime/index.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { endSession, useUser } from '../auth/index.ts';
import { FileViewer, useFilePlace } from '../files/index.ts';
import { arrived } from './composer/accepted.ts';
import { deliver, startDelivery } from './composer/deliver.ts';
import { tellSlow, tellSlowEnded } from './composer/send-errors.ts';
import { ConnectionHint } from './connection-hint.tsx';
import { DemoBanner } from './demo-banner.tsx';
import { NEW, select, useSelection } from './selection.ts';
import { Sidebar } from './sidebar/sidebar.tsx';
import { setDrawerOpen, toggleSidebar } from './sidebar/sidebar-store.ts';
import { useConversationTitle } from './sidebar/use-conversations.ts';
import { Conversation } from './thread/conversation.tsx';
import { endAcceptedEdit } from './thread/user-message-edits.ts';
import { isPhone, useIsPhone } from './use-media.ts';
import { useShortcuts } from './use-shortcuts.ts';

const ShortcutSheet = lazy(async () => ({
  default: (await import('./shortcut-sheet.tsx')).ShortcutSheet,
}));

const PastDueBanner = lazy(async () => ({
  default: (await import('../billing/index.ts')).PastDueBanner,
}));

/** The chat screen (docs/product.md, 'Screens'). */
export function ChatPage() {
  const { user } = useUser();
  return user && <Chat user={user} />;
}

function Chat({ user }: { user: User }) {
  const selection = useSelection();
  const place = useFilePlace();
  const composerBox = useRef<HTMLTextAreaElement>(null);
  const [sheetOpen, setSheetOpen] = useState(false);
  useLive(user.id);
  useDelivery(user);
  useShortcuts(
    useMemo(
      () => ({
        newChat: () => select(NEW),
        focusComposer: () => composerBox.current?.focus(),
        toggleSidebar: () => (isPhone() ? setDrawerOpen(true) : toggleSidebar()),
        stop: () => document.querySelector<HTMLButtonElement>('[data-stop]')?.click(),
        showSheet: () => setSheetOpen(true),
      }),
      [],
    ),
  );

  return (
    <div className="flex h-dvh overflow-clip">
      <Sidebar user={user} selection={selection} />
      <main className="flex min-w-0 flex-1 flex-col">
        {user.subscriptionStatus === 'guest' && <DemoBanner user={user} />}
        {user.subscriptionStatus === 'past_due' && (
          <Suspense>
            <PastDueBanner user={user} className="rounded-none py-1.5" />
          </Suspense>
        )}
        <Header selection={selection} />
        <Conversation user={user} selection={selection} composerBox={composerBox} />
      </main>
      {place && <FileViewer place={place} />}
      {sheetOpen && (
        <Suspense>
          <ShortcutSheet onClose={() => setSheetOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

function Header({ selection }: { selection: string | null }) {
  const phone = useIsPhone();
  const title = useConversationTitle(selection === NEW ? null : selection);
  return (
    <header
      data-top-bar
      className="flex h-12 shrink-0 items-center gap-2 px-4 pointer-coarse:h-14 pointer-coarse:px-2"
    >
      {phone && (
        <IconButton label="Open sidebar" onClick={() => setDrawerOpen(true)}>
          <Menu aria-hidden="true" />
        </IconButton>
      )}
      <div className="min-w-0 flex-1">
        {title && (
          <h1 dir="auto" title={title} className="truncate text-left text-sm text-muted">
            {title}
          </h1>
        )}
      </div>
      <ConnectionHint />
      {phone && (
        <IconButton label="New Chat" onClick={() => select(NEW)}>
          <SquarePen aria-hidden="true" />
        </IconButton>
      )}
    </header>
  );
}

/** Sends what waits in this browser when the page opens, the browser is online again, or the socket is there again. */
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
        onSlow: tellSlow,
        onSlowEnded: tellSlowEnded,
        onSent: (sent) => {
          arrived(userId, sent);
          endAcceptedEdit(sent.message.clientMessageId);
        },
      }),
    [userId],
  );
}
