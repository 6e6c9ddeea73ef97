import type { User } from '@stolas/backend/contract';
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import { goLive, setOpenConversation, useActivity } from '../../realtime/index.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { endSession, useUser } from '../auth/index.ts';
import { FileViewer, useFilePlace } from '../files/index.ts';
import { ChatHeader } from './chat-header.tsx';
import { accepted } from './composer/send.ts';
import { tellSlow, tellSlowEnded } from './composer/send-errors.ts';
import { DemoBanner } from './demo-banner.tsx';
import { NEW, select, useSelection } from './selection.ts';
import { forgetDeleted } from './sidebar/forget-deleted.ts';
import { ConversationMenu, useRowActions } from './sidebar/row-actions.ts';
import { Sidebar } from './sidebar/sidebar.tsx';
import { setDrawerOpen, toggleSidebar } from './sidebar/sidebar-store.ts';
import { SkipLinks } from './skip-links.tsx';
import { Conversation } from './thread/conversation.tsx';
import { endAcceptedEdit } from './thread/user-message-edits.ts';
import { Welcome } from './thread/welcome.tsx';
import { isPhone } from './use-media.ts';
import { openShortcutSheet, useShortcutSheet, useShortcuts } from './use-shortcuts.ts';

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
  const isDeleted = useActivity(({ deleted }) => selection !== null && selection in deleted);
  const isSheetOpen = useShortcutSheet((sheet) => sheet.isOpen);
  const isMenuOpen = useRowActions(({ menu }) => menu !== null);
  useOpenConversation(selection);
  useEffect(() => forgetDeleted(user.id), [user.id]);
  useLive(user.id);
  useShortcuts(
    useMemo(
      () => ({
        newChat: () => select(NEW),
        focusComposer: () => composerBox.current?.focus(),
        toggleSidebar: () => (isPhone() ? setDrawerOpen(true) : toggleSidebar()),
        stop: () => document.querySelector<HTMLButtonElement>('[data-stop]')?.click(),
        showSheet: openShortcutSheet,
      }),
      [],
    ),
  );

  return (
    <div className="flex h-dvh overflow-clip">
      <SkipLinks />
      <Sidebar user={user} selection={selection} />
      <main tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
        {user.subscriptionStatus === 'guest' && <DemoBanner user={user} />}
        {user.subscriptionStatus === 'past_due' && (
          <Suspense>
            <PastDueBanner user={user} className="rounded-none py-1.5" />
          </Suspense>
        )}
        <ChatHeader selection={selection} />
        {selection === null && <Welcome user={user} />}
        {isDeleted && <DeletedNotice />}
        {selection !== null && !isDeleted && (
          <Conversation user={user} conversationId={selection} composerBox={composerBox} />
        )}
      </main>
      {place && <FileViewer place={place} />}
      <Suspense>
        {isSheetOpen && <ShortcutSheet />}
        {isMenuOpen && <ConversationMenu user={user} />}
      </Suspense>
    </div>
  );
}

const DeletedNotice = () => (
  <EmptyState
    className="my-auto"
    title="This conversation was deleted"
    description="It was deleted in another tab or on another device."
  >
    <Button variant="primary" onClick={() => select(NEW)}>
      New Chat
    </Button>
  </EmptyState>
);

/** Tells the list which conversation is read here. */
function useOpenConversation(conversationId: string | null): void {
  useEffect(() => {
    setOpenConversation(conversationId);
    return () => setOpenConversation(null);
  }, [conversationId]);
}

function useLive(userId: string): void {
  useEffect(
    () =>
      goLive({
        onAccount: (user) => queryClient.setQueryData(userQuery.queryKey, user),
        onSessionEnded: () => void endSession(),
        onSlow: tellSlow,
        onSlowEnded: tellSlowEnded,
        onSent: ({ message: { conversationId, clientMessageId } }) => {
          accepted(userId, conversationId, clientMessageId);
          endAcceptedEdit(clientMessageId);
        },
      }),
    [userId],
  );
}
