import type { ReplyState, ReplyTail, ReplyTailQuery } from '../../../contract/replies.ts';
import { isActive } from '../../../contract/reply-status.ts';
import type { ReplyRecord } from '../messages/index.ts';
import type { ReplyLog } from './log.ts';
import { deltasFrom, joinDeltas, lengthOf, partsOf, storedText } from './parts.ts';

/** The state of a reply as it is published. */
export const stateOf = (
  reply: Pick<ReplyRecord, 'id' | 'conversationId' | 'attempt' | 'status' | 'error' | 'metadata'>,
  length: number,
): ReplyState => ({
  replyId: reply.id,
  conversationId: reply.conversationId,
  attempt: reply.attempt,
  status: reply.status,
  length,
  ...(reply.error && { error: reply.error }),
  ...(reply.metadata && !isActive(reply.status) && { metadata: reply.metadata }),
});

/**
 * The reply with the text that has been published so far: of a running one from its log, else from the database.
 * Without a log (Redis lost it or is unreachable) it is the last checkpoint; the end of the reply adds the rest.
 */
export async function withLiveText<R extends ReplyRecord>(
  reply: R,
  replyLog: Pick<ReplyLog, 'read'>,
): Promise<R> {
  if (reply.status !== 'streaming') return reply;
  const stored = partsOf(reply);
  const deltas = await replyLog
    .read(reply.id, reply.attempt, Math.max(0, lengthOf(stored) - 1))
    .catch(() => []);
  const parts = joinDeltas(stored, deltas);
  return { ...reply, parts, content: storedText(parts).content };
}

/** What a reader who has `offset` code units of `attempt` still lacks; all of it when the reader has another attempt. */
export function tailOf(reply: ReplyRecord, { attempt, offset }: ReplyTailQuery): ReplyTail {
  const parts = partsOf(reply);
  const length = lengthOf(parts);
  const from = attempt === reply.attempt ? Math.min(offset, length) : 0;
  return { ...stateOf(reply, length), offset: from, deltas: deltasFrom(parts, from) };
}
