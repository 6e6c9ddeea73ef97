import type { DemoAllowance } from '../../contract/auth.ts';
import { GUEST_MESSAGE_LIMIT, GUEST_TOKEN_LIMIT } from '../../contract/limits.ts';
import { type BillingService, type Entitlements, type Lane, lifetimePeriod } from '../billing/index.ts';
import { createClosing } from './closing.ts';
import type { LedgerEntry } from './ledger-model.ts';
import type { AttemptKey, TokenUsage } from './model.ts';
import { subscriptionRequired } from './refusals.ts';
import {
  createReserving,
  openReservation,
  type ReservationRequest,
  type ReservingDeps,
  usageIdOf,
} from './reserving.ts';

export interface UsageDeps extends ReservingDeps {
  entitlementsOf: BillingService['entitlementsOf'];
}

/** Quota: reserved before the provider is called, settled after, released when it was not called. */
export type UsageService = ReturnType<typeof createUsageService>;

/** What a reservation reads before it is made. */
export interface ReadAhead {
  entitlements: Entitlements;
  entry: LedgerEntry | null;
}

export function createUsageService(deps: UsageDeps) {
  const { store, ledger, entitlementsOf, newId, now } = deps;
  const closing = createClosing(deps);
  const makeReservation = createReserving(deps, closing);

  const readAhead = async (ownerId: string, attempt: AttemptKey): Promise<ReadAhead> => {
    const [entitlements, entry] = await Promise.all([
      entitlementsOf(ownerId),
      ledger.find(attempt),
    ]);
    return { entitlements, entry };
  };

  /** A message counts with the first attempt at its reply that is not released: later ones belong to it. */
  const messagesOf = async (ownerId: string, { replyId, attempt }: AttemptKey): Promise<0 | 1> => {
    if (attempt === 1) return 1;
    const counted =
      (await store.countsMessage(ownerId, replyId)) ||
      (await ledger.countsMessage(replyId, attempt));
    return counted ? 0 : 1;
  };

  return {
    /** What `reserve` reads first, for callers that have something else to read at the same time. */
    readAhead,

    /** The lane in which the user's replies wait. */
    laneOf: async (ownerId: string): Promise<Lane> => (await entitlementsOf(ownerId)).lane,

    /**
     * Reserves the prompt and the longest reply of an attempt; repeated, it reserves once and answers the same. The caller
     * caps the provider call with the returned `replyTokens`, which may be less than asked for: what is left.
     * @throws AppError subscription_required; quota_exceeded with `used`, `limit` and `resetsAt`; too_many_replies with
     *   Retry-After, when as many replies as may are running or reserve what is left; unavailable
     */
    reserve: async (
      ownerId: string,
      request: ReservationRequest,
      ahead?: ReadAhead,
    ): Promise<{ replyTokens: number }> => {
      const [{ entitlements, entry }, messages] = await Promise.all([
        ahead ?? readAhead(ownerId, request),
        request.isCounted ? (0 as const) : messagesOf(ownerId, request),
      ]);
      if (entry?.state === 'settled') return { replyTokens: entry.replyTokens };
      if (!entitlements.mayChat) throw subscriptionRequired();
      const { replyTokens } = await makeReservation({ ownerId, request, messages, entitlements });
      return { replyTokens };
    },

    /**
     * Charges what an attempt used, once per attempt, whether its reservation is still open, has expired or was never
     * made. An attempt that sent its prompt is charged for it even without a reply.
     */
    settle: async (ownerId: string, key: AttemptKey, used: TokenUsage): Promise<void> => {
      await closing.settle({ ownerId, key, used }, async (entry) => {
        const entitlements = await entitlementsOf(ownerId);
        // An account that is being erased is charged nothing, so that nothing of it is stored again.
        if (entitlements.kind === 'none') return false;
        const id = entry?.usageId ?? usageIdOf(ownerId, entitlements);
        const messages = entry?.messages ?? (await messagesOf(ownerId, key));
        const nothing = { ...key, promptTokens: 0, replyTokens: 0 };
        const stamp = { id: newId(), messages, touchedAt: now() };
        await store.force({ id, ownerId }, openReservation(nothing, stamp));
        return true;
      });
    },

    /** Takes a reservation back as if the message had never been sent; nothing happens when there is none. */
    release: closing.release,

    /** What is left of a guest's demo. Tokens reserved by running replies count as used until the replies have ended. */
    allowanceOf: async (ownerId: string): Promise<DemoAllowance> => {
      const sums = await store.find(usageIdOf(ownerId, { period: lifetimePeriod }));
      return {
        messagesLeft: Math.max(0, GUEST_MESSAGE_LIMIT - (sums?.messages ?? 0)),
        messageLimit: GUEST_MESSAGE_LIMIT,
        tokensLeft: Math.max(0, GUEST_TOKEN_LIMIT - (sums?.committedTokens ?? 0)),
        tokenLimit: GUEST_TOKEN_LIMIT,
      };
    },

    removeAllOf: async (ownerId: string): Promise<void> => {
      await store.removeAllOf(ownerId);
      await ledger.removeAllOf(ownerId);
    },
  };
}
