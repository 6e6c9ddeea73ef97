import type { Payer } from '../payer.ts';
import type { UsageFeature } from './feature.ts';
import type { ReservationRequest } from './make-reservation.ts';
import { canPayFor, readPlan, readPool } from './overview.ts';
import type { AttemptKey, TokenUsage } from './records.ts';
import {
  laneOf,
  type ReadAhead,
  type ReservedTokens,
  readAhead,
  reserve,
  type Sender,
} from './reserve.ts';
import { release, settle } from './settle.ts';

/** Quota for other features: reserved before the provider is called, settled after, released without a call. */
export type UsageService = ReturnType<typeof bindMembers>;

/** The functions for other features, as members: some of those features come earlier in the list. */
export const bindMembers = (usage: UsageFeature) => ({
  laneOf: (payer: Payer) => laneOf(usage, payer),

  readAhead: (payer: Payer, sender: Pick<Sender, 'isGuest'>) => readAhead(usage, payer, sender),

  reserve: (
    payer: Payer,
    request: ReservationRequest,
    known?: ReadAhead,
  ): Promise<ReservedTokens> => reserve(usage, payer, { request, known }),

  settle: (payer: Payer, key: AttemptKey, used: TokenUsage) => settle(usage, payer, { key, used }),

  release: (payer: Payer, key: AttemptKey) => release(usage, payer, key),

  readPool: (ownerId: string) => readPool(usage, ownerId),

  canPayFor: (wanted: Parameters<typeof canPayFor>[1]) => canPayFor(usage, wanted),

  readPlan: (user: Sender) => readPlan(usage, user),
});
