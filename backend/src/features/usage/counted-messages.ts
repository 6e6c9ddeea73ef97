import type { UsageFeature } from './feature.ts';
import { type AttemptKey, kindOf } from './records.ts';

/**
 * The number of sent messages that an attempt counts as. A message counts with the first attempt at its reply that is not released; later
 * attempts belong to it. Background calls count as none.
 */
export async function messagesOf(
  { periods, ledger }: UsageFeature,
  ownerId: string,
  key: AttemptKey,
): Promise<0 | 1> {
  const { replyId, attempt } = key;
  if (kindOf(key) !== 'reply') return 0;
  if (attempt === 1) return 1;
  const counted =
    (await periods.countsMessage(ownerId, replyId)) ||
    (await ledger.countsMessage(ownerId, { replyId, attempt }));
  return counted ? 0 : 1;
}
