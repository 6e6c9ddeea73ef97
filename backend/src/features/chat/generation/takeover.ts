import type { UsageService } from '../../usage/index.ts';
import { endOfLost } from './attempt.ts';
import type { ReplyLog } from './log.ts';
import { deltasFrom, joinDeltas, lengthOf, partsOf } from './parts.ts';
import type { GeneratedReply, ReplyEnd } from './reply-record.ts';

/** Attempts that may lose their worker before the reply is given up. */
const MAX_TAKEOVERS = 2;

interface TakeoverDeps<Lost> {
  replyLog: ReplyLog;
  usage: Pick<UsageService, 'settle' | 'release'>;
  finish: (lost: Lost, end: ReplyEnd) => Promise<void>;
  write: (lost: Lost) => Promise<void>;
}

/**
 * Continues with a reply whose worker was lost, after `takeOver` has started a new attempt: a reply that has published
 * nothing is started again, one that has is ended as interrupted.
 */
export function createTakeover<Lost extends { reply: GeneratedReply }>({
  replyLog,
  usage,
  finish,
  write,
}: TakeoverDeps<Lost>) {
  /** The text that was published. Only the lost attempt counts, and it is fenced off, so that it does not grow. */
  const publishedParts = async (reply: GeneratedReply) => {
    const stored = partsOf(reply);
    const lost = reply.attempt - reply.lostAttempts;
    const deltas = await replyLog.read(reply.id, lost, Math.max(0, lengthOf(stored) - 1));
    return joinDeltas(stored, deltas);
  };

  const restart = async (lost: Lost) => {
    const { reserved: _ofLost, sent, ...reply } = lost.reply;
    const { id: replyId, ownerId, attempt, lostAttempts } = reply;
    const key = { replyId, attempt: attempt - lostAttempts };
    if (sent) await usage.settle(ownerId, key, { ...sent, completionTokens: 0 });
    else await usage.release(ownerId, key);
    await write({ ...lost, reply });
  };

  return async (lost: Lost): Promise<void> => {
    const { id: replyId, conversationId, ownerId, attempt, keptLength } = lost.reply;
    const writer = { replyId, conversationId, ownerId, attempt };
    await replyLog.fence(writer);
    const reply = { ...lost.reply, parts: await publishedParts(lost.reply) };
    const isGivenUp = reply.takeovers >= MAX_TAKEOVERS || reply.stopRequested;
    if (lengthOf(reply.parts) <= keptLength && !isGivenUp) return restart({ ...lost, reply });
    const deltas = deltasFrom(reply.parts, 0);
    if (deltas.length > 0) await replyLog.append(writer, { seq: 1, deltas });
    return finish({ ...lost, reply }, await endOfLost(reply));
  };
}
