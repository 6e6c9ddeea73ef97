import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { lazy, Suspense, useEffect, useEffectEvent, useMemo, useRef } from 'react';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import { goLive, setOpenConversation, useActivity, useConnection } from '../../realtime/index.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { TooltipProvider } from '../../ui/tooltip.tsx';
import { endSession, useUser } from '../auth/index.ts';
import { ChatHeader } from './chat-header.tsx';
import { DemoBanner } from './demo-banner.tsx';
import { Overlays } from './overlays.tsx';
import { openCommandMenu } from './search/command-menu-store.ts';
import { NEW, select, selected, useSelection } from './selection.ts';
import { deliver, startDelivery } from './sending/deliver.ts';
import { acceptSend } from './sending/post.ts';
import { tellSlow, tellSlowEnded } from './sending/send-errors.ts';
import { SidePanels } from './side-panels.tsx';
import { forgetDeleted } from './sidebar/forget-deleted.ts';
import { Sidebar } from './sidebar/sidebar.tsx';
import { showOrHideSidebar } from './sidebar/sidebar-store.ts';
import { SkipLinks } from './skip-links.tsx';
import { Conversation } from './thread/conversation.tsx';
import { endAcceptedEdit } from './thread/user-message-edits.ts';
import { isNewChat } from './use-conversation.ts';
import { openShortcutSheet, useShortcuts } from './use-shortcuts.ts';

const PastDueBanner = lazy(async () => ({
  default: (await import('../billing/index.ts')).PastDueBanner,
}));

/** The chat screen (docs/product.md, 'Screens'). */
export function ChatPage() {
  const { user } = useUser();
  return (
    user && (
      <TooltipProvider>
        <Chat user={user} />
      </TooltipProvider>
    )
  );
}

function Chat({ user }: { user: User }) {
  const selection = useSelection();
  const composerBox = useRef<HTMLTextAreaElement>(null);
  const isDeleted = useActivity(({ deleted }) => selection !== null && selection in deleted);
  const isStored = selection !== null && !isNewChat(selection) && !isDeleted;
  useOpenConversation(selection);
  useEffect(() => forgetDeleted(user.id), [user.id]);
  useLive(user.id);
  useDelivery(user);
  useShortcuts(
    useMemo(
      () => ({
        newChat: () => select(NEW),
        openCommandMenu,
        focusComposer: () => composerBox.current?.focus(),
        toggleSidebar: showOrHideSidebar,
        print: isStored ? () => void print() : undefined,
        stop: () => document.querySelector<HTMLButtonElement>('[data-stop]')?.click(),
        showSheet: openShortcutSheet,
      }),
      [isStored],
    ),
  );

  return (
    <div className="flex h-dvh overflow-clip">
      <SkipLinks />
      <Sidebar user={user} selection={selection} />
      <main tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
        {user.demo && <DemoBanner user={user} />}
        {user.subscriptionStatus === 'past_due' && (
          <Suspense>
            <PastDueBanner user={user} className="rounded-none py-1.5" />
          </Suspense>
        )}
        <ChatHeader selection={selection} />
        {isDeleted ? (
          <DeletedNotice />
        ) : (
          <Conversation user={user} selection={selection} composerBox={composerBox} />
        )}
      </main>
      <SidePanels selection={selection} />
      <Overlays user={user} />
    </div>
  );
}

/** The browser would print only the messages that are loaded. */
async function print(): Promise<void> {
  const { printConversation } = await import('./export/print-conversation.ts');
  const conversationId = selected();
  if (conversationId) await printConversation(conversationId);
}

const DeletedNotice = () => (
  <EmptyState className="my-auto" title={t('deletedTitle')} description={t('deletedText')}>
    <Button variant="primary" onClick={() => select(NEW)}>
      {t('newChatButton')}
    </Button>
  </EmptyState>
);

/** Marks the conversation as open, so that the list does not show it as unread. */
function useOpenConversation(conversationId: string | null): void {
  useEffect(() => {
    setOpenConversation(conversationId);
    return () => setOpenConversation(null);
  }, [conversationId]);
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
          acceptSend(userId, sent);
          endAcceptedEdit(sent.message.clientMessageId);
        },
      }),
    [userId],
  );
}
