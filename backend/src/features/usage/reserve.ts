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

/** A user whose account was just read. */
export interface Sender {
  userId: string;
  isGuest: boolean;
}

/** What a reservation reads before it is made. */
export interface ReadAhead {
  entitlements: Entitlements;
  entry: LedgerEntry | null;
  /** The user's own cap; guests have none. */
  tokensPerDay: number | null;
}

/** What a call may use: its prompt as estimated, and its answer. */
export interface ReservedTokens {
  promptTokens: number;
  replyTokens: number;
}

/** The lane in which the user's replies wait. */
export const laneOf = async ({ others }: UsageFeature, ownerId: string): Promise<Lane> =>
  (await others.billing.entitlementsOf(ownerId)).lane;

/**
 * What `reserve` reads first, for callers that read something else at the same time. It is only for the first attempt at a reply of
 * the actor that is not stored yet: nothing can be charged for that attempt.
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
 * Reserves the prompt and the longest reply of an attempt, or what is left; repeated, it reserves once and answers the
 * same. The caller limits a reply to the returned `replyTokens`, which are at least `MIN_REPLY_TOKENS`. A background call
 * that was charged is not made again: its next run has a key of its own.
 * @throws AppError subscription_required; quota_exceeded with `used`, `limit` and `resetsAt`, and `cap` when it is the
 *   user's own; too_many_replies with Retry-After, when as many replies as may are running or reserve what is left;
 *   unavailable
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

/** An attempt that was charged may be reserved again, by a repeated send; a background call may not. */
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
    ledger.find(attempt),
    caps.find(ownerId),
  ]);
  return { entitlements, entry, tokensPerDay };
}

/** The user's own cap, with what other usage periods count of the day: only on the day on which this period begins. */
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
