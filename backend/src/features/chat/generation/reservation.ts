import type { ReplyErrorCode } from '../../../contract/errors.ts';
import type { Depth } from '../../../contract/reply-settings.ts';
import { AppError } from '../../../errors.ts';
import { countPromptTokens } from '../../../llm/index.ts';
import type { UsageService } from '../../usage/index.ts';
import { tokensOfCalls } from '../messages/index.ts';
import { callsLeft } from './calls.ts';
import { FencedError } from './log.ts';
import type { ReplyStore } from './model.ts';
import type { Prepared } from './prepare.ts';
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

/**
 * What an attempt may use. A send reserves for the first attempt and for one that continues; an attempt that follows a
 * lost or released one reserves here.
 * @throws FencedError when a later attempt has the reply
 */
export function createReservation({
  replies,
  usage,
  maxTokens,
  budgetTokens: contextTokens,
}: ReservationDeps) {
  return async (
    reply: GeneratedReply,
    /** Of the first call. */
    prepare: () => Promise<Prepared>,
  ): Promise<Reserved | Refused> => {
    const { id, attempt, ownerId, settings } = reply;
    const first = await countPromptTokens((await prepare()).messages);
    const { promptTokens, replyTokens: most } = tokensOfCalls(
      { promptTokens: first, replyTokens: maxTokens[settings.depth], contextTokens },
      callsLeft(reply).length,
    );
    const request = { replyId: id, attempt, promptTokens, replyTokens: most };
    try {
      const { replyTokens } = await usage.reserve(ownerId, request);
      const made = { promptTokens, replyTokens };
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
