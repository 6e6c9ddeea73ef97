import type { User } from '@stolas/backend/contract';
import { LoaderCircle, Menu, SquarePen } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import { goLive, useConnection } from '../../realtime/index.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { endSession, useUser } from '../auth/index.ts';
import { FileViewer, useFilePlace } from '../files/index.ts';
import { OpenArtifact } from './artifacts/lazy.tsx';
import { accepted } from './composer/send.ts';
import { tellSlow } from './composer/send-errors.ts';
import { DemoBanner } from './demo-banner.tsx';
import { NEW, select, useSelection } from './selection.ts';
import { Sidebar } from './sidebar/sidebar.tsx';
import { setDrawerOpen, toggleSidebar } from './sidebar/sidebar-store.ts';
import { useConversationTitle } from './sidebar/use-conversations.ts';
import { Conversation } from './thread/conversation.tsx';
import { endAcceptedEdit } from './thread/user-message-edits.ts';
import { Welcome } from './thread/welcome.tsx';
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
        {selection === null ? (
          <Welcome user={user} />
        ) : (
          <Conversation user={user} conversationId={selection} composerBox={composerBox} />
        )}
      </main>
      {place && <FileViewer place={place} />}
      {!place && selection !== null && <OpenArtifact conversationId={selection} />}
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
    <header className="flex h-12 shrink-0 items-center gap-2 px-4 pointer-coarse:h-14 pointer-coarse:px-2">
      {phone && (
        <IconButton label="Open sidebar" onClick={() => setDrawerOpen(true)}>
          <Menu aria-hidden="true" />
        </IconButton>
      )}
      <h1 dir="auto" title={title} className="min-w-0 flex-1 truncate text-left text-sm text-muted">
        {title}
      </h1>
      <ConnectionHint />
      {phone && (
        <IconButton label="New Chat" onClick={() => select(NEW)}>
          <SquarePen aria-hidden="true" />
        </IconButton>
      )}
    </header>
  );
}

const HINT_AFTER_MS = 1_500;

/** Shown only when the connection has been down for longer than a moment. */
function ConnectionHint() {
  const down = useConnection() === 'disconnected';
  const [visible, setVisible] = useState(false);
  useEffect(() => {
    if (!down) return undefined;
    const timer = setTimeout(() => setVisible(true), HINT_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setVisible(false);
    };
  }, [down]);
  return (
    <output className="text-xs text-muted">
      {visible && (
        <span className="flex animate-fade items-center gap-1.5">
          <LoaderCircle aria-hidden="true" className="size-3.5 animate-spin" />
          Reconnecting…
        </span>
      )}
    </output>
  );
}

function useLive(userId: string): void {
  useEffect(
    () =>
      goLive({
        onAccount: (user) => queryClient.setQueryData(userQuery.queryKey, user),
        onSessionEnded: () => void endSession(),
        onSlow: tellSlow,
        onSent: ({ message: { conversationId, clientMessageId } }) => {
          accepted(userId, conversationId, clientMessageId);
          endAcceptedEdit(clientMessageId);
        },
      }),
    [userId],
  );
}
