import type { ReplyErrorCode } from '../../../contract/errors.ts';
import type { Depth } from '../../../contract/reply-settings.ts';
import { AppError } from '../../../errors.ts';
import { countPromptTokens } from '../../../llm/index.ts';
import { MIN_REPLY_TOKENS, type UsageService } from '../../usage/index.ts';
import { tokensOfCalls } from '../messages/index.ts';
import { callsLeft } from './calls.ts';
import { FencedError } from './log.ts';
import type { ReplyStore } from './model.ts';
import { budgetOf, type Prepared } from './prepare.ts';
import type { GeneratedReply, Reserved } from './reply-record.ts';

interface ReservationDeps {
  replies: Pick<ReplyStore, 'beginStream'>;
  usage: Pick<UsageService, 'reserve'>;
  /** Longest reply of each depth, in tokens. */
  maxTokens: Record<Depth, number>;
  /** Longest prompt, in tokens. */
  budgetTokens: number;
}

/** Why there is no quota for the attempt, as a sentence for the user. */
export interface Refused {
  refused: string;
  code: Extract<ReplyErrorCode, 'quota_exceeded' | 'interrupted'>;
}

type Lengths = ReservationDeps['maxTokens'];

/** Longest reply that the depth allows, in tokens; the calls of a panel share it. */
const longestOf = (reply: GeneratedReply, maxTokens: Lengths): number =>
  maxTokens[reply.settings.depth] * callsLeft(reply).length;

/** Whether a reply may be no longer than what was left of the user's quota. */
export const isShortened = (
  reply: GeneratedReply,
  { replyTokens }: Reserved,
  maxTokens: Lengths,
): boolean => replyTokens < longestOf(reply, maxTokens);

/**
 * What an attempt may use. A send reserves for the first attempt and for one that continues, and estimates its prompt: when
 * little was left, the reply gets what the prompt does not take. An attempt that follows a lost or released one reserves here.
 * @throws FencedError when a later attempt has the reply
 */
export function createReservation({ replies, usage, maxTokens, budgetTokens }: ReservationDeps) {
  /** What the attempt uses at most, once its prompt is known. */
  const measure = async (reply: GeneratedReply, prepare: () => Promise<Prepared>) => {
    const sizes = {
      promptTokens: await countPromptTokens((await prepare()).messages),
      replyTokens: maxTokens[reply.settings.depth],
      contextTokens: budgetOf(reply, budgetTokens),
    };
    return tokensOfCalls(sizes, callsLeft(reply).length);
  };

  return async (
    reply: GeneratedReply,
    /** Of the first call. */
    prepare: () => Promise<Prepared>,
  ): Promise<Reserved | Refused> => {
    const { id, attempt, ownerId, reserved } = reply;
    if (reserved) {
      // A prompt that fails here fails the attempt when it is sent.
      const used = await measure(reply, prepare).catch(() => null);
      if (!used) return reserved;
      const left = reserved.promptTokens + reserved.replyTokens - used.promptTokens;
      const replyTokens = Math.min(used.replyTokens, Math.max(left, MIN_REPLY_TOKENS));
      return { ...reserved, replyTokens };
    }
    const request = { replyId: id, attempt, ...(await measure(reply, prepare)) };
    try {
      const made = await usage.reserve(ownerId, request);
      if (await replies.beginStream({ id, attempt, reserved: made })) return made;
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      return {
        refused: error.message,
        code: error.status === 402 ? 'quota_exceeded' : 'interrupted',
      };
    }
    throw new FencedError('A later attempt has this reply.');
  };
}
