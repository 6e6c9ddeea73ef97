import { unavailable } from '../../errors.ts';
import type { Entitlements } from '../billing/index.ts';
import type { Closing, ClosingDeps } from './closing.ts';
import {
  type AttemptKey,
  type DaySums,
  dayOf,
  isSameAttempt,
  kindOf,
  NO_TOKENS,
  nextDay,
  type Reservation,
  type UsageSums,
} from './records.ts';
import {
  capExceeded,
  guestBudgetExceeded,
  quotaExceeded,
  reservedByOthers,
  tooManyReplies,
} from './refusals.ts';

/** A shorter reply is not useful: it may be this long however little is left. */
export const MIN_REPLY_TOKENS = 256;
/** A try fails when the document changes under it; of new reservations that cannot be more than may run at once. */
const MAX_TRIES = 10;

/** What an attempt may use at most. */
export interface ReservationRequest extends AttemptKey {
  promptTokens: number;
  replyTokens: number;
  /** Whether an earlier attempt has counted the sent message; left out, the reservations and entries tell. */
  isCounted?: boolean;
}

export interface ReservingDeps extends ClosingDeps {
  newId: () => string;
}

interface Call {
  ownerId: string;
  request: ReservationRequest;
  /** Sent messages that the reservation counts as. */
  messages: 0 | 1;
  entitlements: Entitlements;
  at: Date;
  cap: Cap | null;
}

/** The user's own cap per day, and what other usage periods count of the day: on the day on which one begins. */
export interface Cap {
  tokensPerDay: number;
  elsewhere: DaySums;
}

const EMPTY: UsageSums = {
  messages: 0,
  settledTokens: 0,
  committedTokens: 0,
  running: 0,
  days: {},
  kinds: {},
};

export const usageIdOf = (ownerId: string, { period }: Pick<Entitlements, 'period'>): string =>
  `${ownerId}:${period.id}`;

type Fit = Pick<Reservation, 'tokens' | 'replyTokens'>;

export const openReservation = (
  { tokens, replyTokens, ...key }: AttemptKey & Fit,
  { id, messages, at, now = at }: Pick<Reservation, 'id' | 'messages' | 'at'> & { now?: Date },
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
  at,
  touchedAt: now,
});

/**
 * What may be reserved. A reply is accepted while anything is left and reserves at most that: its length follows. A background
 * call, which cannot be made shorter, has to fit whole. @throws AppError too_many_replies, quota_exceeded
 */
function fit(call: Omit<Call, 'ownerId'>, sums = EMPTY): Fit {
  const { request, messages, entitlements } = call;
  const { limits, runningReplies } = entitlements;
  const { promptTokens, replyTokens } = request;
  const isReply = kindOf(request) === 'reply';
  if (isReply && sums.running >= runningReplies) throw tooManyReplies(entitlements);
  if (sums.messages + messages > (limits.messages ?? Number.POSITIVE_INFINITY))
    throw quotaExceeded(entitlements, sums);
  const whole = promptTokens + replyTokens;
  const least = isReply ? 1 : whole;
  const lefts = quotasOf(call, sums).map(({ limit, settled, committed, exceeded }) => {
    if (limit - committed >= least) return limit - committed;
    throw limit - settled >= least ? reservedByOthers() : exceeded();
  });
  const tokens = Math.min(whole, ...lefts);
  const room = Math.max(tokens - promptTokens, MIN_REPLY_TOKENS);
  return { tokens, replyTokens: Math.min(replyTokens, room) };
}

/** What limits tokens: the plan, and the user's own cap. */
function quotasOf({ entitlements, cap, at }: Omit<Call, 'ownerId'>, sums: UsageSums) {
  const plan = {
    limit: entitlements.limits.tokens,
    settled: sums.settledTokens,
    committed: sums.committedTokens,
    exceeded: () => quotaExceeded(entitlements, sums),
  };
  if (!cap) return [plan];
  const today = sums.days[dayOf(at)] ?? NO_TOKENS;
  const settled = cap.elsewhere.settled + today.settled;
  const committed = cap.elsewhere.committed + today.committed;
  const limit = cap.tokensPerDay;
  const exceeded = () => capExceeded({ used: settled, limit, resetsAt: nextDay(at) });
  return [plan, { limit, settled, committed, exceeded }];
}

/** Makes reservations within a user's limits, and for guests within the budget of all guests. */
export function createReserving(
  { store, budget, newId, now, onChanged }: ReservingDeps,
  closing: Closing,
) {
  /** A new reservation, or one of the same attempt that is there already. */
  const reserveOwn = async (call: Call, budgetHour?: string) => {
    const { ownerId, request, messages, entitlements, at, cap } = call;
    const record = { id: usageIdOf(ownerId, entitlements), ownerId };
    const limits = {
      ...entitlements.limits,
      running: entitlements.runningReplies,
      ...(cap && { tokensPerDay: cap.tokensPerDay - cap.elsewhere.committed }),
    };
    const hour = budgetHour === undefined ? {} : { budgetHour };
    let fitting = fit(call);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const stamp = { id: newId(), messages, at };
      const reservation = { ...openReservation({ ...request, ...fitting }, stamp), ...hour };
      if (await store.reserve(record, reservation, limits)) {
        onChanged(ownerId);
        return { reservation, isNew: true };
      }
      const current = await store.find(record.id);
      const earlier = current?.reservations.find((other) => isSameAttempt(other, request));
      if (earlier?.state === 'reserved' || earlier?.state === 'settled')
        return { reservation: earlier, isNew: false };
      if (earlier) await closing.enter({ record, reservation: earlier });
      else fitting = fit(call, current ?? EMPTY);
    }
    throw unavailable();
  };

  /** Takes from the budget before the reservation: a crash in between leaves less for guests, never more. */
  const reserveAsGuest = async (call: Call) => {
    const { tokens } = fit(call);
    const taken = await budget.take(tokens, now());
    if (!('hour' in taken)) throw guestBudgetExceeded(taken.secondsLeft);
    try {
      const made = await reserveOwn(call, taken.hour);
      const kept = made.isNew ? made.reservation.tokens : 0;
      await budget.giveBack(taken.hour, tokens - kept);
      return made;
    } catch (error) {
      await budget.giveBack(taken.hour, tokens);
      throw error;
    }
  };

  return async (call: Call): Promise<Reservation> => {
    const isGuest = call.entitlements.kind === 'guest';
    return (await (isGuest ? reserveAsGuest(call) : reserveOwn(call))).reservation;
  };
}
