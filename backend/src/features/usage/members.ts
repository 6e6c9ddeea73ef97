import type { UsageFeature } from './feature.ts';
import type { ReservationRequest } from './make-reservation.ts';
import { readShownUsage } from './overview.ts';
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
  laneOf: (ownerId: string) => laneOf(usage, ownerId),

  readAhead: (sender: Sender) => readAhead(usage, sender),

  reserve: (
    ownerId: string,
    request: ReservationRequest,
    known?: ReadAhead,
  ): Promise<ReservedTokens> => reserve(usage, ownerId, { request, known }),

  settle: (ownerId: string, key: AttemptKey, used: TokenUsage) =>
    settle(usage, ownerId, { key, used }),

  release: (ownerId: string, key: AttemptKey) => release(usage, ownerId, key),

  readShownUsage: (user: Sender) => readShownUsage(usage, user),
});
