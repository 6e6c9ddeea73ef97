import type { UserMessage } from '@stolas/backend/contract';
import { memo } from 'react';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import type { PendingSend } from '../composer/outbox.ts';
import { Attachments } from './attachments.tsx';
import { TurnFooter } from './message-frame.tsx';

/** The person's turn: a soft bubble at the right. */
export const UserTurn = memo(function UserTurn({ message }: { message: UserMessage }) {
  return (
    <article
      data-role="user"
      data-message-id={message.id}
      className="group/turn flex flex-col items-end"
    >
      <h3 className="sr-only">You said</h3>
      <Bubble text={message.content} />
      {message.metadata && <Attachments metadata={message.metadata} />}
      <TurnFooter createdAt={message.createdAt} text={message.content} end />
    </article>
  );
});

/** The same turn before the server has it. */
export const PendingTurn = ({ send }: { send: PendingSend }) => (
  <article data-role="user" className="group/turn flex flex-col items-end" aria-busy="true">
    <h3 className="sr-only">You said</h3>
    <Bubble text={send.content} />
    <TurnFooter createdAt={send.createdAt} text={send.content} end />
  </article>
);

const Bubble = ({ text }: { text: string }) => (
  <div
    dir="auto"
    className="max-w-[min(85%,60ch)] min-w-0 rounded-lg rounded-br-sm bg-bubble px-4 py-2.5 break-words"
  >
    <Markdown text={text} />
  </div>
);
