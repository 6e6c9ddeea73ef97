import { unavailable } from '../../errors.ts';
import { accountOf, type BillingService, type Entitlements, type Lane } from '../billing/index.ts';
import type { AuditRuns } from './audit.ts';
import type { CapStore } from './cap-model.ts';
import { createClosing } from './closing.ts';
import type { LedgerEntry } from './ledger-model.ts';
import { createLines } from './lines.ts';
import { createOverview } from './overview.ts';
import {
  type AttemptKey,
  addDays,
  dayOf,
  kindOf,
  NO_TOKENS,
  type TokenUsage,
  withDiscount,
} from './records.ts';
import { subscriptionRequired } from './refusals.ts';
import {
  type Cap,
  createReserving,
  openReservation,
  type ReservationRequest,
  type ReservingDeps,
  usageIdOf,
} from './reserving.ts';

export interface UsageDeps extends ReservingDeps {
  caps: CapStore;
  audits: Pick<AuditRuns, 'lastFinished'>;
  entitlementsOf: BillingService['entitlementsOf'];
  /** What a prompt token counts that the provider had cached, from 0 to 1. */
  cachedShare: number;
}

/** Quota: reserved before the provider is called, settled after, released when it was not called. */
export type UsageService = ReturnType<typeof createUsageService>;

/** Who sends: a user whose account was just read. */
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
interface ReservedTokens {
  promptTokens: number;
  replyTokens: number;
}

/** An attempt that was charged may be reserved again, by a repeated send; a background call may not. */
function requirePending(key: AttemptKey, reserved: ReservedTokens): ReservedTokens {
  if (kindOf(key) === 'reply') return reserved;
  throw unavailable(new Error('This run of a background call was charged already.'));
}

export function createUsageService(deps: UsageDeps) {
  const { store, ledger, caps, audits, entitlementsOf, cachedShare, newId, now } = deps;
  const closing = createClosing(deps);
  const makeReservation = createReserving(deps, closing);

  const read = async (ownerId: string, attempt: AttemptKey): Promise<ReadAhead> => {
    const [entitlements, entry, tokensPerDay] = await Promise.all([
      entitlementsOf(ownerId),
      ledger.find(attempt),
      caps.find(ownerId),
    ]);
    return { entitlements, entry, tokensPerDay };
  };

  /**
   * A message counts with the first attempt at its reply that is not released: later ones belong to it. Background calls
   * count none.
   */
  const messagesOf = async (ownerId: string, key: AttemptKey): Promise<0 | 1> => {
    const { replyId, attempt } = key;
    if (kindOf(key) !== 'reply') return 0;
    if (attempt === 1) return 1;
    const counted =
      (await store.countsMessage(ownerId, replyId)) ||
      (await ledger.countsMessage(replyId, attempt));
    return counted ? 0 : 1;
  };

  /** The user's own cap, less what another usage period counts of the day: on the day on which this one begins. */
  const capOf = async (
    ownerId: string,
    { entitlements, tokensPerDay }: ReadAhead,
    day: string,
  ): Promise<Cap | null> => {
    if (tokensPerDay === null) return null;
    const { startsAt } = entitlements.period;
    if (!startsAt || dayOf(startsAt) !== day) return { tokensPerDay, elsewhere: NO_TOKENS };
    const id = usageIdOf(ownerId, entitlements);
    const others = (await store.findDay(ownerId, day)).filter((one) => one.id !== id);
    return { tokensPerDay, elsewhere: others.reduce(addDays, NO_TOKENS) };
  };

  return {
    ...createOverview(deps),
    ...createLines(deps),

    /**
     * What `reserve` reads first, for callers that have something else to read at the same time: for the first attempt
     * at a reply of the actor that is not stored yet, so that nothing is charged for it.
     */
    readAhead: async ({ userId, isGuest }: Sender): Promise<ReadAhead> => {
      const [entitlements, tokensPerDay] = await Promise.all([
        entitlementsOf(userId, accountOf({ isGuest })),
        // Guests cannot set a cap.
        isGuest ? null : caps.find(userId),
      ]);
      return { entitlements, entry: null, tokensPerDay };
    },

    /** The lane in which the user's replies wait. */
    laneOf: async (ownerId: string): Promise<Lane> => (await entitlementsOf(ownerId)).lane,

    /**
     * Reserves the prompt and the longest reply of an attempt, or what is left; repeated, it reserves once and answers the
     * same. The caller caps a reply with the returned `replyTokens`, which are at least `MIN_REPLY_TOKENS`. A background call
     * that was charged is not made again: its next run has a key of its own.
     * @throws AppError subscription_required; quota_exceeded with `used`, `limit` and `resetsAt`, and `cap` when it is the
     *   user's own; too_many_replies with Retry-After, when as many replies as may are running or reserve what is left;
     *   unavailable
     */
    reserve: async (
      ownerId: string,
      request: ReservationRequest,
      known?: ReadAhead,
    ): Promise<ReservedTokens> => {
      const [ahead, messages] = await Promise.all([
        known ?? read(ownerId, request),
        request.isCounted ? (0 as const) : messagesOf(ownerId, request),
      ]);
      const { entitlements, entry } = ahead;
      if (entry?.state === 'settled') {
        const { promptTokens } = request;
        return requirePending(request, { promptTokens, replyTokens: entry.replyTokens });
      }
      if (!entitlements.mayChat) throw subscriptionRequired();
      const at = now();
      const cap = await capOf(ownerId, ahead, dayOf(at));
      const call = { ownerId, request, messages, entitlements, at, cap };
      const { state, tokens, replyTokens } = await makeReservation(call);
      const reserved = { promptTokens: Math.max(0, tokens - replyTokens), replyTokens };
      return state === 'settled' ? requirePending(request, reserved) : reserved;
    },

    /**
     * Charges what an attempt used, once per attempt and kind, whether its reservation is still open, has expired or was
     * never made. An attempt that sent its prompt is charged for it even without a reply.
     */
    settle: async (ownerId: string, key: AttemptKey, used: TokenUsage): Promise<void> => {
      const discounted = withDiscount(used, cachedShare);
      await closing.settle({ ownerId, key, used: discounted }, async (entry) => {
        const entitlements = await entitlementsOf(ownerId);
        // An account that is being erased is charged nothing, so that nothing of it is stored again.
        if (entitlements.kind === 'none') return false;
        const id = entry?.usageId ?? usageIdOf(ownerId, entitlements);
        const messages = entry?.messages ?? (await messagesOf(ownerId, key));
        const nothing = { ...key, tokens: 0, replyTokens: 0 };
        // The entry of a reservation that has expired keeps its day.
        const stamp = { id: newId(), messages, at: entry?.at ?? now(), now: now() };
        await store.force({ id, ownerId }, openReservation(nothing, stamp));
        return true;
      });
    },

    /** Takes a reservation back as if the message had never been sent; nothing happens when there is none. */
    release: closing.release,

    /** The last nightly comparison of the sums with the ledger that has ended; null before the first. */
    lastAudit: audits.lastFinished,

    removeAllOf: async (ownerId: string): Promise<void> => {
      await store.removeAllOf(ownerId);
      await ledger.removeAllOf(ownerId);
      await caps.removeAllOf(ownerId);
    },
  };
}
