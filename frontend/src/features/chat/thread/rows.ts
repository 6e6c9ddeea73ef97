import type { Message, Reply, UserMessage } from '@stolas/backend/contract';
import type { PendingSend, UnsentMessage } from '../sending/outbox.ts';
import { isSend } from '../sending/post.ts';

/** One row of the thread. A pending message and the accepted one have the same key, so they are the same row. */
export type Row = { key: string } & (
  | { kind: 'user'; message: UserMessage }
  | { kind: 'reply'; reply: Reply; isLast: boolean }
  | { kind: 'pending'; send: PendingSend }
  | { kind: 'awaited' }
  | { kind: 'unsent'; message: UnsentMessage }
);

const replyKey = (sendKey: string) => `${sendKey}:reply`;

/** @param unsent messages that wait in this browser, below everything else */
export function rowsOf(
  messages: readonly Message[],
  pending: PendingSend | undefined,
  unsent: readonly UnsentMessage[] = [],
): Row[] {
  const isOnPath = (clientMessageId: string) =>
    messages.some((message) => isSend(message, clientMessageId));
  const rows = messages.map((message, index): Row => {
    if (message.role === 'user') {
      return { kind: 'user', key: message.clientMessageId ?? message.id, message };
    }
    const above = messages[index - 1];
    const isFirst = message.siblingIds[0] === message.id;
    const sendKey = above?.role === 'user' ? above.clientMessageId : undefined;
    const key = isFirst && sendKey ? replyKey(sendKey) : message.id;
    return { kind: 'reply', key, reply: message, isLast: index === messages.length - 1 };
  });
  if (pending && !isOnPath(pending.clientMessageId)) {
    const key = pending.clientMessageId;
    rows.push({ kind: 'pending', key, send: pending }, { kind: 'awaited', key: replyKey(key) });
  }
  for (const message of unsent) {
    const key = message.clientMessageId;
    if (!isOnPath(key)) rows.push({ kind: 'unsent', key, message });
  }
  return rows;
}

/** The message of a row; undefined if the server does not have it. */
export function messageIdOf(row: Row | undefined): string | undefined {
  if (row?.kind === 'user') return row.message.id;
  return row?.kind === 'reply' ? row.reply.id : undefined;
}

const LINE_PX = 26;
const LINE_CHARACTERS = 92;
const FRAME_PX = 72;

/** An estimate of a row's height before it is measured. */
export function estimateHeight(row: Row | undefined): number {
  const text =
    row?.kind === 'user' || row?.kind === 'unsent'
      ? row.message.content
      : row?.kind === 'reply'
        ? row.reply.content
        : row?.kind === 'pending'
          ? row.send.content
          : '';
  return FRAME_PX + Math.ceil(text.length / LINE_CHARACTERS) * LINE_PX;
}
