import type { UsageKind } from '../../contract/usage.ts';
import { AppError } from '../../errors.ts';
import {
  countPromptTokens,
  type JsonModel,
  type JsonRequest,
  StructuredAnswerError,
} from '../../llm/index.ts';
import type { Payer } from '../payer.ts';
import type { UsageService } from './members.ts';

export interface ChargedRequest<T> extends JsonRequest<T> {
  payer: Payer;
  /** The attempt of the reply that the call belongs to. */
  reply: { id: string; attempt: number };
  /** The run of the post-step; each kind has one call per run. */
  run: number;
  kind: UsageKind;
}

/**
 * Reserves quota for a background call.
 * @returns false when none is left
 */
export const hasReserved = (
  usage: Pick<UsageService, 'reserve'>,
  ...reserved: Parameters<UsageService['reserve']>
): Promise<boolean> =>
  usage.reserve(...reserved).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.status === 402) return false;
      throw error;
    },
  );

/**
 * A structured call in the background of a reply, reserved before and charged after as a separate kind.
 * @returns the value; `quota` when the user has none left for it; `no_answer` when no answer fits the schema, which is charged
 * @throws the errors of the provider; then nothing is charged
 */
export async function chargedAnswer<T>(
  {
    jsonModel,
    usage,
  }: {
    jsonModel: Pick<JsonModel, 'answer'>;
    usage: Pick<UsageService, 'reserve' | 'settle' | 'release'>;
  },
  { payer, reply, run, kind, ...request }: ChargedRequest<T>,
): Promise<{ value: T } | 'quota' | 'no_answer'> {
  const key = { replyId: reply.id, attempt: reply.attempt, kind, run };
  const promptTokens = await countPromptTokens(request.messages);
  const reserved = { ...key, promptTokens, replyTokens: request.maxTokens };
  if (!(await hasReserved(usage, payer, reserved))) return 'quota';
  try {
    const answer = await jsonModel.answer(request);
    await usage.settle(payer, key, answer.usage);
    return { value: answer.value };
  } catch (error) {
    if (!(error instanceof StructuredAnswerError)) {
      await usage.release(payer, key);
      throw error;
    }
    await usage.settle(payer, key, error.usage);
    return 'no_answer';
  }
}
