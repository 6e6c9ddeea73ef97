import { unavailable } from '../../errors.ts';
import { accountOf, type Entitlements, type Lane } from '../billing/index.ts';
import { type Payer, paysForOthers } from '../payer.ts';
import { messagesOf } from './counted-messages.ts';
import type { UsageFeature } from './feature.ts';
import type { LedgerEntry } from './ledger-model.ts';
import {
  type Cap,
  makeReservation,
  type ReservationRequest,
  usageIdOf,
} from './make-reservation.ts';
import { type AttemptKey, addDays, type DaySums, dayOf, kindOf, NO_TOKENS } from './records.ts';
import { quotaExceeded, subscriptionRequired } from './refusals.ts';

/** A user with a recently read account. */
export interface Sender {
  userId: string;
  isGuest: boolean;
}

/** The reads before a reservation. */
export interface ReadAhead {
  entitlements: Entitlements;
  entry: LedgerEntry | null;
  /** The payer's own cap per day; guests have none. */
  tokensPerDay: number | null;
  /**
   * Of the workspace or the owner of the conversation who pays; null: the membership, or the owner's offer, has ended;
   * absent: the user's own plan pays.
   */
  member?: { cap: number | null } | null;
}

/** The maximum usage of a call: its estimated prompt, and its answer. */
export interface ReservedTokens {
  promptTokens: number;
  replyTokens: number;
}

/** The lane of the replies for which this payer pays. */
export const laneOf = async ({ others }: UsageFeature, { ownerId }: Payer): Promise<Lane> =>
  (await others.billing.entitlementsOf(ownerId)).lane;

/**
 * The reads of `reserve`, for callers that run other reads at the same time. Only for the first attempt at a reply of
 * the actor that is not stored yet: that attempt cannot have a charge.
 * @param isGuest whether the user who asks is one
 */
export async function readAhead(
  usage: UsageFeature,
  payer: Payer,
  { isGuest }: Pick<Sender, 'isGuest'>,
): Promise<ReadAhead> {
  const { ownerId } = payer;
  const [entitlements, tokensPerDay, member] = await Promise.all([
    usage.others.billing.entitlementsOf(
      ownerId,
      paysForOthers(payer) ? undefined : accountOf({ isGuest }),
    ),
    // Guests cannot set a cap.
    isGuest ? null : usage.caps.find(ownerId),
    memberOf(usage, payer),
  ]);
  return { entitlements, entry: null, tokensPerDay, ...member };
}

async function memberOf(
  { others: { chat, workspaces } }: UsageFeature,
  { ownerId, userId, workspaceId, conversationId: id }: Payer,
): Promise<Pick<ReadAhead, 'member'>> {
  if (id) return { member: await chat.paidByOwner({ id, ownerId }) };
  return workspaceId ? { member: await workspaces.memberOf({ workspaceId, userId }) } : {};
}

/**
 * Reserves the prompt and the maximum reply of an attempt, or the remaining quota; a repeated call reserves once and
 * returns the same. The caller limits a reply to the returned `replyTokens`, which are at least `MIN_REPLY_TOKENS`. A
 * background call that was charged is not made again: its next run has another key.
 * @throws AppError subscription_required; quota_exceeded with `used`, `limit` and `resetsAt`, and `cap` when it is the
 * user's own, or with `workspaceId` and `resetsAt` when a workspace pays; too_many_replies with Retry-After, when the
 * maximum number of replies is running or the running ones reserve the remaining quota; unavailable
 */
export async function reserve(
  usage: UsageFeature,
  payer: Payer,
  { request, known }: { request: ReservationRequest; known?: ReadAhead | undefined },
): Promise<ReservedTokens> {
  const [ahead, messages] = await Promise.all([
    known ?? read(usage, payer, request),
    request.isCounted ? (0 as const) : messagesOf(usage, payer.ownerId, request),
  ]);
  const { entitlements, entry } = ahead;
  if (entry?.state === 'settled') {
    const { promptTokens } = request;
    return requirePending(request, { promptTokens, replyTokens: entry.replyTokens });
  }
  if (!entitlements.mayChat) throw subscriptionRequired(payer);
  // The replies of a member who left are finished, but nothing else is paid for.
  if (ahead.member === null && kindOf(request) !== 'reply')
    throw quotaExceeded(payer, entitlements);
  const at = usage.now();
  const cap = await capOf(usage, { ownerId: payer.ownerId, day: dayOf(at), ...ahead });
  const memberTokens = ahead.member?.cap ?? null;
  const call = { payer, request, messages, entitlements, at, cap, memberTokens };
  const { state, tokens, replyTokens } = await makeReservation(usage, call);
  const reserved = { promptTokens: Math.max(0, tokens - replyTokens), replyTokens };
  return state === 'settled' ? requirePending(request, reserved) : reserved;
}

/** A repeated send may reserve a charged attempt again; a background call may not. */
function requirePending(key: AttemptKey, reserved: ReservedTokens): ReservedTokens {
  if (kindOf(key) === 'reply') return reserved;
  throw unavailable(new Error('This run of a background call was charged already.'));
}

async function read(usage: UsageFeature, payer: Payer, attempt: AttemptKey): Promise<ReadAhead> {
  const { others, ledger, caps } = usage;
  const { ownerId } = payer;
  const [entitlements, entry, tokensPerDay, member] = await Promise.all([
    others.billing.entitlementsOf(ownerId),
    ledger.find(ownerId, attempt),
    caps.find(ownerId),
    memberOf(usage, payer),
  ]);
  return { entitlements, entry, tokensPerDay, ...member };
}

async function capOf(
  usage: UsageFeature,
  { tokensPerDay, ...known }: ReadAhead & OnDay,
): Promise<Cap | null> {
  if (tokensPerDay === null) return null;
  return { tokensPerDay, elsewhere: await sumsElsewhere(usage, known) };
}

interface OnDay {
  ownerId: string;
  /** YYYY-MM-DD, in UTC. */
  day: string;
  entitlements: Pick<Entitlements, 'period'>;
}

/** What other usage periods of the owner have for a day: something only on the day on which the present one begins. */
export async function sumsElsewhere(
  { periods }: Pick<UsageFeature, 'periods'>,
  { ownerId, day, entitlements }: OnDay,
): Promise<DaySums> {
  const { startsAt } = entitlements.period;
  if (!startsAt || dayOf(startsAt) !== day) return NO_TOKENS;
  const id = usageIdOf(ownerId, entitlements);
  const others = (await periods.findDay(ownerId, day)).filter((one) => one.id !== id);
  return others.reduce<DaySums>(addDays, NO_TOKENS);
}
