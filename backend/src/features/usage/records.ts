import type { UsageKind } from '../../contract/usage.ts';

/** An attempt at a reply, or a background call about one. Each is reserved and charged once. */
export interface AttemptKey {
  replyId: string;
  attempt: number;
  /** The kind of call; by default the reply itself. */
  kind?: UsageKind;
  /** The run of the post-step that makes a background call: each is reserved and charged separately. */
  run?: number | undefined;
}

/** How a reservation ended. */
export type ClosedState = 'settled' | 'released' | 'expired';

/** Tokens of a prompt and of the reply to it. */
export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
  /** The share of the prompt tokens that the provider had cached. */
  cachedTokens?: number;
  /** How many of the cached tokens are not charged. */
  discountTokens?: number;
  /** The share of the completion tokens that was reasoning. */
  reasoningTokens?: number;
  /** The model as the provider names it. */
  model?: string;
}

export interface Reservation extends AttemptKey {
  /** Unique per reservation: the same attempt may be reserved again after its reservation was released. */
  id: string;
  kind: UsageKind;
  state: 'reserved' | ClosedState;
  /** Reserved in all: the prompt and the longest reply, or what was left. */
  tokens: number;
  replyTokens: number;
  /** Sent messages that it counts as. */
  messages: 0 | 1;
  /** The hour of the guests' budget that it was taken from. */
  budgetHour?: string;
  /** When the attempt was reserved: the period and the day that it is charged in. */
  at: Date;
  /** When it was made, closed, or last seen to belong to an active reply. */
  touchedAt: Date;
  used?: TokenUsage;
}

/** Tokens of one day. */
export interface DaySums {
  settled: number;
  committed: number;
}

export const NO_TOKENS: DaySums = { settled: 0, committed: 0 };

export const addDays = (a: DaySums, b: DaySums): DaySums => ({
  settled: a.settled + b.settled,
  committed: a.committed + b.committed,
});

/** The sums of one user and usage period. */
export interface UsageSums {
  /** Sent messages, those whose replies are running included. */
  messages: number;
  /** Charged for good. */
  settledTokens: number;
  /** Charged for good or reserved. */
  committedTokens: number;
  /** Open reservations of replies. */
  running: number;
  /** By the day (UTC) of the reservation, `2026-11-22`. */
  days: Record<string, DaySums>;
  /** Charged tokens. */
  kinds: Partial<Record<UsageKind, number>>;
}

/** One document. A closed reservation stays until it is in the ledger, so that a crash between the two can be repaired. */
export interface UsageRecord extends UsageSums {
  id: string;
  ownerId: string;
  /** Raised by every change of the sums. */
  version: number;
  reservations: Reservation[];
}

export const tokensOf = (used: TokenUsage | undefined): number =>
  used ? used.promptTokens + used.completionTokens - (used.discountTokens ?? 0) : 0;

/** Adds the discount on cached tokens. @param cachedShare what a cached token counts, 0 to 1 */
export const withDiscount = (used: TokenUsage, cachedShare: number): TokenUsage => {
  const { cachedTokens = 0 } = used;
  return { ...used, discountTokens: cachedTokens - Math.round(cachedTokens * cachedShare) };
};

export const kindOf = ({ kind = 'reply' }: AttemptKey): UsageKind => kind;

export const isSameAttempt = (a: AttemptKey, b: AttemptKey): boolean =>
  a.replyId === b.replyId &&
  a.attempt === b.attempt &&
  kindOf(a) === kindOf(b) &&
  (a.run ?? null) === (b.run ?? null);

/** The day (UTC) of a moment, `2026-11-22`. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** The beginning of the next day (UTC). */
export const nextDay = (at: Date): Date =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1));
