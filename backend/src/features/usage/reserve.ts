import { unavailable } from '../../errors.ts';
import { accountOf, type Entitlements, type Lane } from '../billing/index.ts';
import { messagesOf } from './counted-messages.ts';
import type { UsageFeature } from './feature.ts';
import type { LedgerEntry } from './ledger-model.ts';
import {
  type Cap,
  makeReservation,
  type ReservationRequest,
  usageIdOf,
} from './make-reservation.ts';
import { type AttemptKey, addDays, dayOf, kindOf, NO_TOKENS } from './records.ts';
import { subscriptionRequired } from './refusals.ts';

/** A user with a recently read account. */
export interface Sender {
  userId: string;
  isGuest: boolean;
}

/** The reads before a reservation. */
export interface ReadAhead {
  entitlements: Entitlements;
  entry: LedgerEntry | null;
  /** The user's own cap; guests have none. */
  tokensPerDay: number | null;
}

/** The maximum usage of a call: its estimated prompt, and its answer. */
export interface ReservedTokens {
  promptTokens: number;
  replyTokens: number;
}

/** The lane of the user's replies. */
export const laneOf = async ({ others }: UsageFeature, ownerId: string): Promise<Lane> =>
  (await others.billing.entitlementsOf(ownerId)).lane;

/**
 * The reads of `reserve`, for callers that run other reads at the same time. Only for the first attempt at a reply of the actor that is not
 * stored yet: that attempt cannot have a charge.
 */
export async function readAhead(
  { others, caps }: UsageFeature,
  { userId, isGuest }: Sender,
): Promise<ReadAhead> {
  const [entitlements, tokensPerDay] = await Promise.all([
    others.billing.entitlementsOf(userId, accountOf({ isGuest })),
    // Guests cannot set a cap.
    isGuest ? null : caps.find(userId),
  ]);
  return { entitlements, entry: null, tokensPerDay };
}

/**
 * Reserves the prompt and the maximum reply of an attempt, or the remaining quota; a repeated call reserves once and returns the same. The
 * caller limits a reply to the returned `replyTokens`, which are at least `MIN_REPLY_TOKENS`. A background call that was charged is not
 * made again: its next run has another key.
 * @throws AppError subscription_required; quota_exceeded with `used`, `limit` and `resetsAt`, and `cap` when it is the user's own;
 * too_many_replies with Retry-After, when the maximum number of replies is running or the running ones reserve the remaining quota;
 * unavailable
 */
export async function reserve(
  usage: UsageFeature,
  ownerId: string,
  { request, known }: { request: ReservationRequest; known?: ReadAhead | undefined },
): Promise<ReservedTokens> {
  const [ahead, messages] = await Promise.all([
    known ?? read(usage, ownerId, request),
    request.isCounted ? (0 as const) : messagesOf(usage, ownerId, request),
  ]);
  const { entitlements, entry } = ahead;
  if (entry?.state === 'settled') {
    const { promptTokens } = request;
    return requirePending(request, { promptTokens, replyTokens: entry.replyTokens });
  }
  if (!entitlements.mayChat) throw subscriptionRequired();
  const at = usage.now();
  const cap = await capOf(usage, { ownerId, day: dayOf(at), ...ahead });
  const call = { ownerId, request, messages, entitlements, at, cap };
  const { state, tokens, replyTokens } = await makeReservation(usage, call);
  const reserved = { promptTokens: Math.max(0, tokens - replyTokens), replyTokens };
  return state === 'settled' ? requirePending(request, reserved) : reserved;
}

/** A repeated send may reserve a charged attempt again; a background call may not. */
function requirePending(key: AttemptKey, reserved: ReservedTokens): ReservedTokens {
  if (kindOf(key) === 'reply') return reserved;
  throw unavailable(new Error('This run of a background call was charged already.'));
}

async function read(
  { others, ledger, caps }: UsageFeature,
  ownerId: string,
  attempt: AttemptKey,
): Promise<ReadAhead> {
  const [entitlements, entry, tokensPerDay] = await Promise.all([
    others.billing.entitlementsOf(ownerId),
    ledger.find(ownerId, attempt),
    caps.find(ownerId),
  ]);
  return { entitlements, entry, tokensPerDay };
}

/** The user's own cap, with the sums of other usage periods for the day: only on the day on which this period begins. */
async function capOf(
  { periods }: UsageFeature,
  { ownerId, day, entitlements, tokensPerDay }: ReadAhead & { ownerId: string; day: string },
): Promise<Cap | null> {
  if (tokensPerDay === null) return null;
  const { startsAt } = entitlements.period;
  if (!startsAt || dayOf(startsAt) !== day) return { tokensPerDay, elsewhere: NO_TOKENS };
  const id = usageIdOf(ownerId, entitlements);
  const others = (await periods.findDay(ownerId, day)).filter((one) => one.id !== id);
  return { tokensPerDay, elsewhere: others.reduce(addDays, NO_TOKENS) };
}
