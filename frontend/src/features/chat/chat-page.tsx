import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { useEffect, useMemo } from 'react';
import { loadCode } from '../../lib/load-code.ts';
import { live, setOpenConversation, useActivity } from '../../realtime/index.ts';
import { Button } from '../../ui/button.tsx';
import { cn } from '../../ui/cn.ts';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { COLUMN } from '../../ui/message-look.tsx';
import { offerReload } from '../../ui/new-version.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { ChatHeader } from './chat-header.tsx';
import { DemoBanner } from './demo-banner.tsx';
import { NEW, selected, useSelection } from './selection.ts';
import { continueInNewChat } from './sending/attachments.ts';
import { SidePanels } from './side-panels.tsx';
import { Conversation } from './thread/conversation.tsx';
import { LeftMessages } from './thread/unsent-row.tsx';
import { isNewChat } from './use-conversation.ts';
import { useShortcuts } from './use-shortcuts.ts';

const PastDueBanner = lazyPart(async () => (await import('../billing/index.ts')).PastDueBanner);

/** The chat beside the sidebar (docs/product.md, 'Screens'). */
export function ChatPage({ user }: { user: User }) {
  const selection = useSelection();
  const isDeleted = useActivity(({ deleted }) => selection !== null && selection in deleted);
  const isLost = useActivity(({ lost }) => selection !== null && selection in lost);
  const isStored = selection !== null && !isNewChat(selection) && !isDeleted && !isLost;
  useOpenConversation(selection, isStored);
  useShortcuts(
    useMemo(
      () => ({
        focusComposer: () => document.querySelector<HTMLElement>('[data-composer]')?.focus(),
        print: isStored ? () => void print() : undefined,
        stop: () => document.querySelector<HTMLButtonElement>('[data-stop]')?.click(),
      }),
      [isStored],
    ),
  );

  return (
    <>
      <main tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
        {user.demo && <DemoBanner user={user} />}
        {user.subscriptionStatus === 'past_due' && (
          <PastDueBanner user={user} className="rounded-none py-1.5" />
        )}
        <ChatHeader user={user} selection={selection} />
        {isDeleted || isLost ? (
          <div className="min-h-0 flex-1 overflow-y-auto">
            <div className={cn(COLUMN, 'flex min-h-full flex-col')}>
              <GoneNotice
                isLost={isLost}
                onNewChat={() => continueInNewChat(user.id, selection ?? NEW)}
              />
              <LeftMessages user={user} conversationId={selection ?? NEW} />
            </div>
          </div>
        ) : (
          <Conversation user={user} selection={selection} />
        )}
      </main>
      {!isLost && <SidePanels selection={selection} />}
    </>
  );
}

/** The browser would print only the messages that are loaded. */
async function print(): Promise<void> {
  const code = await loadCode(() => import('./export/print-conversation.ts')).catch(offerReload);
  const conversationId = selected();
  if (conversationId) await code?.printConversation(conversationId);
}

/** The conversation was deleted, or is no longer shared with the user. */
const GoneNotice = ({ isLost, onNewChat }: { isLost: boolean; onNewChat: () => void }) => (
  <EmptyState
    className="my-auto"
    isHeading
    title={t(isLost ? 'lostTitle' : 'deletedTitle')}
    description={t(isLost ? 'lostText' : 'deletedText')}
  >
    <Button variant="primary" onClick={onNewChat}>
      {t('newChatButton')}
    </Button>
  </EmptyState>
);

/** Marks the conversation as open, so that the list does not show it as unread, and gets the text of its replies. */
function useOpenConversation(conversationId: string | null, isStored: boolean): void {
  useEffect(() => {
    setOpenConversation(conversationId);
    return () => setOpenConversation(null);
  }, [conversationId]);
  useEffect(
    () => (conversationId && isStored ? live.show(conversationId) : undefined),
    [conversationId, isStored],
  );
}
