import { t } from 'virtual:texts/chat';
import type { Message, Reply, User } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { ArrowDown } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useEffectEvent, useRef } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { live } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { cn } from '../../../ui/cn.ts';
import { Eye } from '../../../ui/eye.tsx';
import { COLUMN } from '../../../ui/message-look.tsx';
import { useHasBottomNotice } from '../../../ui/toast-store.ts';
import { loadEarlierMessages, messagesQuery } from '../api.ts';
import { Composer } from '../composer/composer.tsx';
import { ReadOnlyLine, WritingLine } from '../composer/writing-line.tsx';
import { useReachedTarget } from '../search/use-reached-target.ts';
import { NEW, select } from '../selection.ts';
import { runningReply } from '../sending/busy.ts';
import { readDraft } from '../sending/drafts.ts';
import { createdFrom, readUnsent, usePending, useUnsent } from '../sending/outbox.ts';
import { unpinMessage } from '../sending/pinned.ts';
import { endSend, isSend } from '../sending/post.ts';
import { isNewChat, isUncreated, useConversationPart } from '../use-conversation.ts';
import { useMarkRead } from '../use-mark-read.ts';
import { usePreloadReplies } from './lazy.tsx';
import { LoadError } from './load-error.tsx';
import { MessageList, MessageListSkeleton } from './message-list.tsx';
import { OtherBranch } from './other-branch.tsx';
import { useFollow } from './use-follow.ts';
import { Greeting, Welcome } from './welcome.tsx';

interface ConversationProps {
  user: User;
  /** Null on the home screen, where a message starts a new conversation. */
  selection: string | null;
}

/** One conversation: its messages, and below them the composer. */
export function Conversation({ user, selection }: ConversationProps) {
  const conversationId = selection ?? NEW;
  const isNew = isNewChat(conversationId);
  const {
    data: messages,
    error,
    refetch,
  } = useQuery({
    ...messagesQuery(conversationId),
    enabled: !isNew,
  });
  const running = runningReply(messages);
  const shared = useConversationPart(selection, ({ shared: it }) => it);
  useMarkRead(selection);
  useForgetSentDraft(user.id, conversationId, messages);
  useWatch(running);
  useLeaveCreated(user.id, conversationId);
  usePreloadReplies(selection === null);

  return (
    <>
      {selection === null ? (
        <Welcome user={user} />
      ) : (
        <Messages
          key={conversationId}
          user={user}
          conversationId={conversationId}
          messages={messages ?? (isNew ? [] : undefined)}
          failure={
            error && !messages ? (
              <LoadError
                user={user}
                conversationId={conversationId}
                error={error}
                onRetry={() => void refetch()}
              />
            ) : null
          }
        />
      )}
      {shared && (
        <>
          <OtherBranch conversationId={conversationId} messages={messages ?? []} />
          <WritingLine conversationId={conversationId} userId={user.id} />
        </>
      )}
      {shared?.role === 'viewer' ? (
        <ReadOnlyLine owner={shared.owner} conversationId={conversationId} userId={user.id} />
      ) : (
        <Composer
          user={user}
          conversationId={conversationId}
          messages={messages ?? []}
          running={running}
        />
      )}
    </>
  );
}

interface MessagesProps {
  user: User;
  conversationId: string;
  messages: readonly Message[] | undefined;
  failure: ReactNode;
}

function Messages({ user, conversationId, messages, failure }: MessagesProps) {
  const pending = usePending(conversationId);
  const unsent = useUnsent(conversationId);
  const hasNotice = useHasBottomNotice();
  const { scroller, scrollerRef, contentRef, atEnd, toEnd, letGo } = useFollow();
  const target = useReachedTarget(conversationId, messages !== undefined);
  const onNearStart = useEarlierMessages(conversationId);
  useEffect(() => unpinMessage, []);
  const isEmpty = messages?.length === 0 && !pending && unsent.length === 0;

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={scrollerRef}
        data-messages
        className="@container relative h-full overflow-y-auto overscroll-contain [overflow-anchor:none] md:[scrollbar-gutter:stable_both-edges]"
        tabIndex={-1}
      >
        <div ref={contentRef} className={cn(COLUMN, 'flex min-h-full flex-col pt-4 pb-14')}>
          {failure}
          {!failure && !messages && <MessageListSkeleton />}
          {messages && !isEmpty && (
            <MessageList
              messages={messages}
              user={user}
              pending={pending}
              unsent={unsent}
              scroller={scroller}
              onNearStart={onNearStart}
              target={target}
              onTarget={letGo}
              onPinned={toEnd}
            />
          )}
          {isEmpty && (
            <header className="my-auto flex flex-col items-center gap-2 p-6 text-center">
              <Eye className="mb-2 size-8 text-gold" />
              <h1 className="text-base font-medium">{t('emptyTitle')}</h1>
              <p className="text-sm text-balance text-muted">{t('emptyText')}</p>
              <Greeting conversationId={conversationId} />
            </header>
          )}
        </div>
      </div>
      {/* The text fades out under the edges rather than being cut. */}
      <div className="pointer-events-none absolute inset-x-0 top-0 mr-4 h-4 bg-linear-to-b from-ground to-transparent" />
      <div className="pointer-events-none absolute inset-x-0 bottom-0 mr-4 h-6 bg-linear-to-t from-ground to-transparent" />
      {!atEnd && (
        <Button
          size="sm"
          className={cn(
            'absolute left-1/2 -translate-x-1/2 animate-fade rounded-full border-line bg-raised shadow-float',
            // A notice stands just above the composer.
            hasNotice ? 'bottom-14' : 'bottom-3',
          )}
          onClick={toEnd}
        >
          <ArrowDown aria-hidden="true" className="size-4" />
          {t('jumpToLatest')}
        </Button>
      )}
    </div>
  );
}

/** Removes a draft whose send was accepted just before the page was reloaded; that of a new chat may have begun the conversation. */
function useForgetSentDraft(
  userId: string,
  conversationId: string,
  messages: readonly Message[] | undefined,
): void {
  useEffect(() => {
    for (const draftOf of [conversationId, NEW]) {
      const { clientMessageId } = readDraft(userId, draftOf);
      if (clientMessageId && messages?.some((message) => isSend(message, clientMessageId)))
        endSend(userId, draftOf, clientMessageId);
    }
  }, [userId, conversationId, messages]);
}

/** Leaves a conversation that existed only in this browser, when another tab has sent its first message: it has an id of its own then. */
function useLeaveCreated(userId: string, conversationId: string): void {
  const unsent = useUnsent(conversationId);
  useEffect(() => {
    if (!isUncreated(conversationId)) return;
    const isWaiting = readUnsent(userId).some((m) => m.conversationId === conversationId);
    if (isWaiting) return;
    const createdId = createdFrom(conversationId);
    if (createdId) select(createdId, { replace: true });
    else navigate('/', { replace: true });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- storage changes with the list
  }, [userId, conversationId, unsent]);
}

/** Polls the reply that is being generated, whether or not its row is mounted. */
function useWatch(running: Reply | undefined): void {
  const watch = useEffectEvent(() => (running ? live.watch(running) : undefined));
  const replyId = running?.id;
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another reply is watched anew
  useEffect(() => watch(), [replyId]);
}

/** Loads one page at a time; a failed page is loaded again when the reader scrolls near the start again. */
function useEarlierMessages(conversationId: string): (firstMessageId: string) => void {
  const loading = useRef(false);
  return useCallback(
    (firstMessageId) => {
      if (loading.current) return;
      loading.current = true;
      loadEarlierMessages(conversationId, firstMessageId)
        .catch(() => undefined)
        .finally(() => {
          loading.current = false;
        });
    },
    [conversationId],
  );
}
