import type { ReplyTail, ReplyTailQuery } from '../../../contract/replies.ts';
import type { ReplyRecord } from '../messages/index.ts';
import type { ReplyLog } from './log.ts';
import { joinPieces } from './text.ts';

/**
 * The reply with the text that has been shown so far: of a running one from its log, else from the database.
 * Without a log (Redis lost it or is away) the last checkpoint is what there is; the end of the reply mends it.
 */
export async function withLiveText(
  reply: ReplyRecord,
  replyLog: Pick<ReplyLog, 'read'>,
): Promise<ReplyRecord> {
  if (reply.status !== 'streaming') return reply;
  const pieces = await replyLog.read(reply.id, reply.attempt).catch(() => []);
  return { ...reply, content: joinPieces(reply.content, pieces) };
}

/** What a reader who has `offset` units of `attempt` still lacks; all of it when the reader has another attempt. */
export function tailOf(reply: ReplyRecord, { attempt, offset }: ReplyTailQuery): ReplyTail {
  const from = attempt === reply.attempt ? Math.min(offset, reply.content.length) : 0;
  return {
    replyId: reply.id,
    conversationId: reply.conversationId,
    attempt: reply.attempt,
    offset: from,
    delta: reply.content.slice(from),
    status: reply.status,
    ...(reply.error && { error: reply.error }),
  };
}
