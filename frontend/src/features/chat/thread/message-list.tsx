import type { Message } from '@stolas/backend/contract';
import { useState } from 'react';
import { isActive } from '../../../realtime/index.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import type { PendingSend } from '../composer/outbox.ts';
import { isSend } from '../composer/send.ts';
import { ReplyLayout } from './message-frame.tsx';
import { ReplyTurn } from './reply-message.tsx';
import { TypingIndicator } from './typing-indicator.tsx';
import { PendingMessage, UserMessage } from './user-message.tsx';

interface MessageListProps {
  messages: readonly Message[];
  pending: PendingSend | undefined;
}

export function MessageList({ messages, pending }: MessageListProps) {
  const last = messages.at(-1);
  const echo =
    pending && !messages.some((message) => isSend(message, pending.clientMessageId))
      ? pending
      : undefined;
  return (
    <>
      {messages.map((message) =>
        message.role === 'user' ? (
          <UserMessage key={message.id} message={message} />
        ) : (
          <ReplyTurn key={message.id} reply={message} isLast={message === last} />
        ),
      )}
      {echo && (
        <>
          <PendingMessage send={echo} />
          <ReplyLayout busy>
            <TypingIndicator />
          </ReplyLayout>
        </>
      )}
      <ReplyAnnouncer last={last} />
    </>
  );
}

const SUMMARY_LENGTH = 240;

/** Screen readers hear a reply once, when it is complete, and of a long one the beginning. */
function ReplyAnnouncer({ last }: { last: Message | undefined }) {
  const [said, setSaid] = useState('');
  const [running, setRunning] = useState<string | null>(null);
  const reply = last?.role === 'assistant' ? last : undefined;

  if (reply && isActive(reply.status)) {
    if (running !== reply.id) setRunning(reply.id);
  } else if (reply && running === reply.id) {
    setRunning(null);
    setSaid(summary(reply.content));
  }

  return (
    <p aria-live="polite" className="sr-only">
      {said}
    </p>
  );
}

const summary = (text: string): string =>
  text.length <= SUMMARY_LENGTH
    ? `STOLAS replied: ${text}`
    : `STOLAS replied: ${text.slice(0, SUMMARY_LENGTH)}…`;

/** Shaped like two turns. */
export const MessageListSkeleton = () => (
  <div aria-hidden="true" className="grid gap-8">
    {[0, 1].map((turn) => (
      <div key={turn} className="grid gap-8">
        <Skeleton className="ml-auto h-11 w-2/5 rounded-lg" />
        <ReplyLayout busy={false}>
          <div className="grid gap-3 pt-1">
            <Skeleton className="w-full" />
            <Skeleton className="w-11/12" />
            <Skeleton className="w-3/5" />
          </div>
        </ReplyLayout>
      </div>
    ))}
  </div>
);
