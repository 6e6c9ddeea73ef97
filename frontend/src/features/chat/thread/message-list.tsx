import { t } from 'virtual:texts/chat';
import type { Message, User } from '@stolas/backend/contract';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  startTransition,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { usePrintEvents, usePrinting } from '../../../lib/printing.ts';
import type { ThreadTarget } from '../../../lib/thread-target.ts';
import { isActive } from '../../../realtime/index.ts';
import { ReplyLayout } from '../../../ui/message-look.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { hasSources } from '../../claims/index.tsx';
import { useShowTarget } from '../search/use-show-target.ts';
import type { PendingSend, UnsentMessage } from '../sending/outbox.ts';
import { usePinned } from '../sending/pinned.ts';
import { useConversation } from '../use-conversation.ts';
import { ReplyMessage, ReplySkeleton } from './lazy.tsx';
import { estimateHeight, messageIdOf, type Row, rowsOf } from './rows.ts';
import { TypingIndicator, useQueueAnnouncement } from './typing-indicator.tsx';
import { UnsentRow } from './unsent-row.tsx';
import { useCleanCopy } from './use-clean-copy.ts';
import { PendingMessage, UserMessage } from './user-message.tsx';
import './print.css';

/** Rows that are mounted beyond each edge of the view. */
const OVERSCAN = 2;
/** Earlier messages are loaded this close to the first loaded one. */
const EARLIER_ROWS = 6;
/** Distance of the first row from the top of the scroller: `pt-4`, the height of the fade. */
const TOP_PX = 16;

interface MessageListProps {
  user: User;
  messages: readonly Message[];
  pending: PendingSend | undefined;
  unsent: readonly UnsentMessage[];
  scroller: HTMLDivElement | null;
  /** Called, perhaps repeatedly, while the reader is near the first message and it has a parent. */
  onNearStart: (firstMessageId: string) => void;
  /** A loaded message to show; another object shows it again. */
  target: ThreadTarget | null;
  /** Called before the target is scrolled to. */
  onTarget: () => void;
  /** Called when the message that this tab has just sent has its row. */
  onPinned: () => void;
}

/** The active path. Only rows in and near the view are mounted. */
export function MessageList({
  user,
  messages,
  pending,
  unsent,
  scroller,
  onNearStart,
  target,
  onTarget,
  onPinned,
}: MessageListProps) {
  const rows = rowsOf(messages, pending, unsent);
  const pinned = usePinnedRow(rows, onPinned);
  const sources = hasSources(messages);
  const overscan = useOverscan();
  // oxlint-disable-next-line react/incompatible-library -- the React Compiler is not used
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => estimateHeight(rows[index]),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan,
    scrollMargin: TOP_PX,
    // Keeps the view in place when earlier messages are put above it. Following the end is the task of `useFollow`.
    anchorTo: 'end',
    scrollEndThreshold: -1,
    initialRect: { width: window.innerWidth, height: window.innerHeight },
    // A thread opens at its end.
    initialOffset: () => {
      const height = rows.reduce((total, row) => total + estimateHeight(row), TOP_PX);
      return Math.max(0, height - window.innerHeight);
    },
    useFlushSync: false,
  });
  const marked = useShowTarget({
    target,
    onTarget,
    scrollTo: (messageId) => {
      const index = rows.findIndex((row) => messageIdOf(row) === messageId);
      virtualizer.scrollToIndex(index, { align: 'center' });
    },
  });
  const onCopy = useCleanCopy();
  const isPrinting = usePrinting((state) => state.isPrinting);
  usePrintEvents();
  const items = virtualizer.getVirtualItems();
  const first = items[0];
  const last = items.at(-1);
  const [firstMessage] = messages;
  const firstWithParent = firstMessage?.parentId ? firstMessage.id : undefined;
  const isNearStart = first !== undefined && first.index < EARLIER_ROWS;
  useEffect(() => {
    if (isNearStart && firstWithParent) onNearStart(firstWithParent);
  }, [isNearStart, firstWithParent, onNearStart]);

  return (
    <>
      <div
        onCopy={onCopy}
        style={
          isPrinting
            ? undefined
            : {
                paddingTop: (first?.start ?? TOP_PX) - TOP_PX,
                paddingBottom: virtualizer.getTotalSize() + TOP_PX - (last?.end ?? TOP_PX),
              }
        }
      >
        {isPrinting && <PrintedTitle conversationId={messages[0]?.conversationId} />}
        {isPrinting && firstWithParent && (
          <p className="hidden pb-5 print:block">{t('printedInPart')}</p>
        )}
        {(isPrinting ? rows : items).map(({ key }, n) => {
          const index = isPrinting ? n : (items[n]?.index ?? n);
          return (
            <div key={key} data-index={index} ref={virtualizer.measureElement} className="pb-5">
              {key === pinned && <ReservedRoom />}
              <div className={isMarked(rows[index], marked) ? MARK : undefined}>
                <RowContent user={user} row={rows[index]} hasSources={sources} />
              </div>
            </div>
          );
        })}
      </div>
      <ReplyAnnouncer last={messages.at(-1)} />
      <QueueAnnouncer last={messages.at(-1)} />
    </>
  );
}

const MARK = 'animate-target rounded-sm outline-2 outline-offset-4 outline-accent';

const isMarked = (row: Row | undefined, marked: string | null): boolean =>
  marked !== null && messageIdOf(row) === marked;

function PrintedTitle({ conversationId = null }: { conversationId: string | null | undefined }) {
  const title = useConversation(conversationId)?.title;
  return (
    <h1 dir="auto" className="hidden pb-5 text-xl font-semibold print:block">
      {title}
    </h1>
  );
}

/**
 * The key of the row that was sent last. Until the next one is in the list the former stays: without its room the thread would become
 * shorter, and the view would jump.
 */
function usePinnedRow(rows: readonly Row[], onPinned: () => void): string | undefined {
  const pinned = usePinned();
  const [former, setFormer] = useState<string>();
  const hasRow = rows.some(({ key }) => key === pinned?.key);
  if (pinned && hasRow && former !== pinned.key) setFormer(pinned.key);
  const show = useEffectEvent(onPinned);
  // Before the browser draws: the row is never seen elsewhere.
  useLayoutEffect(() => {
    if (pinned && hasRow) show();
  }, [pinned, hasRow]);
  if (!pinned) return undefined;
  return hasRow ? pinned.key : former;
}

/**
 * Makes the thread reach one view below the top of its row, so that the row can stand at the top of the view, below the fade.
 * It takes no place of its own: what grows below the row fills the same room, and nothing has to be measured.
 */
const ReservedRoom = () => (
  <div
    aria-hidden="true"
    data-reserved
    // Its height is that of the scroller, the nearest positioned element; its top is that of the row.
    className="pointer-events-none absolute h-[calc(100%-1rem)] w-px print:hidden"
  />
);

/** None until the rows in view have been drawn once: what is read first is shown first. */
function useOverscan(): number {
  const [overscan, setOverscan] = useState(0);
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      setTimeout(() => startTransition(() => setOverscan(OVERSCAN)));
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return overscan;
}

interface RowContentProps {
  user: User;
  row: Row | undefined;
  hasSources: boolean;
}

function RowContent({ user, row, hasSources: sources }: RowContentProps) {
  switch (row?.kind) {
    case 'user':
      return <UserMessage message={row.message} />;
    case 'reply':
      return (
        <ReplyMessage
          key={row.reply.id}
          // As high as the reply: otherwise more replies would fit, and all of them would be drawn once the code is loaded.
          fallback={<ReplySkeleton height={estimateHeight(row)} />}
          reply={row.reply}
          isLast={row.isLast}
          hasSources={sources}
        />
      );
    case 'pending':
      return <PendingMessage send={row.send} />;
    case 'unsent':
      return <UnsentRow user={user} message={row.message} />;
    case 'awaited':
      return (
        <ReplyLayout busy>
          <TypingIndicator />
        </ReplyLayout>
      );
    default:
      return null;
  }
}

/** Screen readers hear a reply once, when it has ended, and of a long one the beginning. */
function ReplyAnnouncer({ last }: { last: Message | undefined }) {
  const [said, setSaid] = useState<{ replyId?: string; text: string }>({ text: '' });
  const reply = last?.role === 'assistant' ? last : undefined;
  const running = useRef<string>(undefined);
  const isRunning = reply && isActive(reply.status);
  useEffect(() => {
    if (isRunning) {
      running.current = reply.id;
      return;
    }
    if (!reply || running.current !== reply.id) return;
    running.current = undefined;
    const say = (text: string) => setSaid({ replyId: reply.id, text });
    void import('./spoken-summary.ts').then(
      ({ spokenSummary }) => say(spokenSummary(reply)),
      () => say(t('repliedSentence')),
    );
  }, [reply, isRunning]);

  return (
    <p aria-live="polite" className="sr-only">
      {/* Empty in between: the same text again would not be a change, and not be heard. */}
      {said.replyId === reply?.id && !isRunning ? said.text : ''}
    </p>
  );
}

/** Screen readers hear the place in the queue once, and then that the reply is next. */
function QueueAnnouncer({ last }: { last: Message | undefined }) {
  const isQueued = last?.role === 'assistant' && last.status === 'queued';
  return (
    <p aria-live="polite" className="sr-only">
      {useQueueAnnouncement(isQueued ? last.id : undefined)}
    </p>
  );
}

/** Shaped like two sent messages with their replies. */
export const MessageListSkeleton = () => (
  <div aria-hidden="true" className="grid gap-8">
    {[0, 1].map((pair) => (
      <div key={pair} className="grid gap-8">
        <Skeleton className="ml-auto h-11 w-2/5 rounded-lg" />
        <ReplySkeleton />
      </div>
    ))}
  </div>
);
