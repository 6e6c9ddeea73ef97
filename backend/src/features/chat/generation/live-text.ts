import type { ReplyState, ReplyTail, ReplyTailQuery } from '../../../contract/replies.ts';
import { isActive } from '../../../contract/reply-settings.ts';
import {
  deltasFrom,
  joinDeltas,
  lengthOf,
  partsOf,
  type ReplyRecord,
  storedText,
} from '../messages/index.ts';
import type { ReplyLog } from './log.ts';

/** The published state of a reply. */
export const stateOf = (
  reply: Pick<
    ReplyRecord,
    'id' | 'conversationId' | 'attempt' | 'status' | 'error' | 'ending' | 'metadata'
  >,
  length: number,
): ReplyState => ({
  replyId: reply.id,
  conversationId: reply.conversationId,
  attempt: reply.attempt,
  status: reply.status,
  length,
  ...(reply.error && { error: reply.error }),
  ...(reply.ending && { ending: reply.ending }),
  ...(reply.metadata && !isActive(reply.status) && { metadata: reply.metadata }),
});

/**
 * The reply with the text published so far: a running one from its log, an ended one from the database. Without a log (Redis lost it or is
 * unreachable) it has the last checkpoint; the end of the reply adds the rest. While a lost attempt is taken over, its log has the text.
 */
export async function withLiveText<R extends ReplyRecord>(
  reply: R,
  replyLog: Pick<ReplyLog, 'read'>,
): Promise<R> {
  if (reply.status !== 'streaming') return reply;
  const stored = partsOf(reply);
  const writer = reply.attempt - (reply.lostAttempts ?? 0);
  const deltas = await replyLog
    .read(reply, writer, Math.max(0, lengthOf(stored) - 1))
    .catch(() => []);
  const parts = joinDeltas(stored, deltas);
  return { ...reply, parts, content: storedText(parts).content };
}

/** The text after `offset` of `attempt`; all of it when the reader has another attempt. */
export function tailOf(reply: ReplyRecord, { attempt, offset }: ReplyTailQuery): ReplyTail {
  const parts = partsOf(reply);
  const length = lengthOf(parts);
  const from = attempt === reply.attempt ? Math.min(offset, length) : 0;
  return { ...stateOf(reply, length), offset: from, deltas: deltasFrom(parts, from) };
}
