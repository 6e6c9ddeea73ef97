import { AppError, unavailable } from '../../errors.ts';
import type { Entitlements } from '../billing/index.ts';
import { type Payer, paysForOthers } from '../payer.ts';
import { moveToLedger } from './close.ts';
import type { UsageFeature } from './feature.ts';
import {
  type AttemptKey,
  addDays,
  type DaySums,
  dayOf,
  emptySums,
  isSameAttempt,
  kindOf,
  memberKeyOf,
  NO_MEMBER,
  NO_TOKENS,
  nextDay,
  type Reservation,
  type UsageSums,
} from './records.ts';
import {
  capExceeded,
  guestBudgetExceeded,
  memberCapExceeded,
  quotaExceeded,
  reservedByOthers,
  tooManyReplies,
} from './refusals.ts';

/** A shorter reply is not useful: every reply may have this length, even with less quota left. */
export const MIN_REPLY_TOKENS = 256;
/** An update fails when the document changes at the same time. New reservations can cause that as often as replies may run at once. */
const MAX_UPDATES = 10;

/** The maximum usage of an attempt. */
export interface ReservationRequest extends AttemptKey {
  promptTokens: number;
  replyTokens: number;
  /** Whether an earlier attempt has counted the sent message; by default read from reservations and entries. */
  isCounted?: boolean;
}

interface Call {
  payer: Payer;
  request: ReservationRequest;
  /** The number of sent messages that the reservation counts as. */
  messages: 0 | 1;
  entitlements: Entitlements;
  at: Date;
  cap: Cap | null;
  /** The limit for the usage period of the member of the payer's workspace, or of the conversation that the payer pays for; null: none. */
  memberTokens: number | null;
}

/** The user's own cap per day, and the sums of other usage periods for that day: only on a day on which a period begins. */
export interface Cap {
  tokensPerDay: number;
  elsewhere: DaySums;
}

export const usageIdOf = (ownerId: string, { period }: Pick<Entitlements, 'period'>): string =>
  `${ownerId}:${period.id}`;

type Fit = Pick<Reservation, 'tokens' | 'replyTokens'>;

export const openReservation = (
  { tokens, replyTokens, ...key }: AttemptKey & Fit,
  {
    id,
    messages,
    payer: { userId, workspaceId, conversationId },
    at,
    now = at,
  }: Pick<Reservation, 'id' | 'messages' | 'at'> & { payer: Payer; now?: Date },
): Reservation => ({
  id,
  replyId: key.replyId,
  attempt: key.attempt,
  kind: kindOf(key),
  ...(key.run && { run: key.run }),
  state: 'reserved',
  tokens,
  replyTokens,
  messages,
  ...(workspaceId && { userId, workspaceId }),
  ...(conversationId && { userId, conversationId }),
  at,
  touchedAt: now,
});

/**
 * The reserved tokens. A reply is accepted while any quota is left and reserves at most the rest, which limits its length. A background
 * call cannot be shortened and has to fit as a whole.
 * @throws AppError too_many_replies, quota_exceeded
 */
function fit(call: Call, sums: UsageSums = emptySums()): Fit {
  const { payer, request, messages, entitlements } = call;
  const { limits, runningReplies } = entitlements;
  const { promptTokens, replyTokens } = request;
  const isReply = kindOf(request) === 'reply';
  const { running } = paysForOthers(payer) ? memberOf(payer, sums) : sums;
  if (isReply && running >= runningReplies) throw tooManyReplies(entitlements);
  if (sums.messages + messages > (limits.messages ?? Number.POSITIVE_INFINITY))
    throw quotaExceeded(payer, entitlements, sums);
  const whole = promptTokens + replyTokens;
  const needed = isReply ? 1 : whole;
  const lefts = quotasOf(call, sums).map(({ limit, settled, committed, exceeded }) => {
    if (limit - committed >= needed) return limit - committed;
    throw limit - settled >= needed ? reservedByOthers() : exceeded();
  });
  const tokens = Math.min(whole, ...lefts);
  const room = Math.max(tokens - promptTokens, MIN_REPLY_TOKENS);
  return { tokens, replyTokens: Math.min(replyTokens, room) };
}

const memberOf = (payer: Payer, { members }: UsageSums) =>
  members[memberKeyOf(payer) ?? ''] ?? NO_MEMBER;

interface Quota extends DaySums {
  limit: number;
  /** The refusal when it is used up. */
  exceeded: () => AppError;
}

/** The token limits: the plan's, the payer's own cap per day, and the member's cap. */
function quotasOf(call: Call, sums: UsageSums): Quota[] {
  const { payer, entitlements } = call;
  const plan = {
    limit: entitlements.limits.tokens,
    settled: sums.settledTokens,
    committed: sums.committedTokens,
    exceeded: () => quotaExceeded(payer, entitlements, sums),
  };
  return [plan, ...dayQuota(call, sums), ...memberQuota(call, sums)];
}

function dayQuota({ payer, cap, at }: Call, sums: UsageSums): Quota[] {
  if (!cap) return [];
  const { settled, committed } = addDays(cap.elsewhere, sums.days[dayOf(at)] ?? NO_TOKENS);
  const limit = cap.tokensPerDay;
  const exceeded = () => capExceeded(payer, { used: settled, limit, resetsAt: nextDay(at) });
  return [{ limit, settled, committed, exceeded }];
}

function memberQuota({ payer, memberTokens: limit, entitlements }: Call, sums: UsageSums): Quota[] {
  if (limit === null) return [];
  const { settled, committed } = memberOf(payer, sums);
  const exceeded = () => memberCapExceeded(payer, entitlements, { used: settled, limit });
  return [{ limit, settled, committed, exceeded }];
}

/** Makes a reservation within the user's limits, and for guests within the budget of all guests. */
export async function makeReservation(usage: UsageFeature, call: Call): Promise<Reservation> {
  const isGuest = call.entitlements.kind === 'guest';
  const { reservation, isNew } = await (isGuest ? reserveAsGuest : reserveOwn)(usage, call);
  // Guests see how many messages they have left; tokens are shown once they are charged.
  if (isGuest && isNew) usage.publishChange(call.payer.ownerId);
  return reservation;
}

interface Made {
  reservation: Reservation;
  /** False for an earlier reservation of the same attempt. */
  isNew: boolean;
}

async function reserveOwn(usage: UsageFeature, call: Call, budgetHour?: string): Promise<Made> {
  const { periods, newId } = usage;
  const { payer, request, messages, entitlements, at, cap, memberTokens } = call;
  const { ownerId } = payer;
  const record = { id: usageIdOf(ownerId, entitlements), ownerId };
  const limits = {
    ...entitlements.limits,
    running: entitlements.runningReplies,
    ...(cap && { tokensPerDay: cap.tokensPerDay - cap.elsewhere.committed }),
    ...(memberTokens !== null && { memberTokens }),
  };
  const hour = budgetHour === undefined ? {} : { budgetHour };
  let fitting = fit(call);
  for (let updates = 0; updates < MAX_UPDATES; updates += 1) {
    const stamp = { id: newId(), messages, payer, at };
    const reservation = { ...openReservation({ ...request, ...fitting }, stamp), ...hour };
    if (await periods.reserve(record, reservation, limits)) {
      return { reservation, isNew: true };
    }
    const current = await periods.find(record);
    const earlier = current?.reservations.find((other) => isSameAttempt(other, request));
    if (earlier?.state === 'reserved' || earlier?.state === 'settled')
      return { reservation: earlier, isNew: false };
    if (earlier) await moveToLedger(usage, { record, reservation: earlier });
    else fitting = fit(call, current ?? undefined);
  }
  throw unavailable();
}

/** Takes from the budget before it reserves: a crash in between leaves less for guests, never more. */
async function reserveAsGuest(usage: UsageFeature, call: Call): Promise<Made> {
  const { budget, now } = usage;
  const { tokens } = fit(call);
  const taken = await budget.take(call.payer.ownerId, tokens, now());
  if (!('hour' in taken)) throw guestBudgetExceeded(taken.secondsLeft);
  try {
    const made = await reserveOwn(usage, call, taken.hour);
    const kept = made.isNew ? made.reservation.tokens : 0;
    await budget.giveBack(taken.hour, tokens - kept);
    return made;
  } catch (error) {
    // After another error the reservation may be stored, and gives them back when it is closed.
    if (error instanceof AppError) await budget.giveBack(taken.hour, tokens);
    throw error;
  }
}
