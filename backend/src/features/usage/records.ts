import type { UsageKind } from '../../contract/usage.ts';

/** An attempt at a reply, or a background call about one. Each is reserved and charged once. */
export interface AttemptKey {
  replyId: string;
  attempt: number;
  /** The kind of call; by default the reply itself. */
  kind?: UsageKind;
  /** The run of the post-step that makes a background call; each run is reserved and charged separately. */
  run?: number | undefined;
}

export type ClosedState = 'settled' | 'released' | 'expired';

/** Tokens of a prompt and its reply. */
export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
  /** The part of the prompt tokens that the provider had cached. */
  cachedTokens?: number;
  /** The number of cached tokens that are not charged. */
  discountTokens?: number;
  /** The part of the completion tokens that was reasoning. */
  reasoningTokens?: number;
  /** The provider's name of the model. */
  model?: string;
}

export interface Reservation extends AttemptKey {
  /** Unique per reservation: the same attempt may be reserved again after its reservation was released. */
  id: string;
  kind: UsageKind;
  state: 'reserved' | ClosedState;
  /** All reserved tokens: the prompt and the maximum reply, or the remaining quota. */
  tokens: number;
  replyTokens: number;
  /** The number of sent messages that it counts as. */
  messages: 0 | 1;
  /** Who asked, in a workspace or a conversation that its owner pays for; absent: the owner of the usage period, else. */
  userId?: string;
  workspaceId?: string;
  /** The conversation for which the owner of the usage period pays. */
  conversationId?: string;
  /** The hour of the guests' budget that it belongs to. */
  budgetHour?: string;
  /** When the attempt was reserved, which sets the period and day of its charge. */
  at: Date;
  /** When it was made, closed, or last found to belong to an active reply. */
  touchedAt: Date;
  used?: TokenUsage;
}

/** The key of the sums in `members` that a reservation counts in; undefined: none. */
export const memberKeyOf = ({
  userId,
  conversationId,
}: {
  userId?: string | undefined;
  conversationId?: string | undefined;
}): string | undefined => conversationId ?? userId;

/** Tokens of one day. */
export interface DaySums {
  settled: number;
  committed: number;
}

/** The sums of a member of the workspace that the usage period pays for, or of a conversation that its owner pays for. */
export interface MemberSums extends DaySums {
  /** Open reservations of replies. */
  running: number;
  /** The day (UTC) of the latest reservation; null: none. */
  lastOn: string | null;
}

export const NO_MEMBER: MemberSums = { settled: 0, committed: 0, running: 0, lastOn: null };

export const NO_TOKENS: DaySums = { settled: 0, committed: 0 };

export const addDays = (a: DaySums, b: DaySums): DaySums => ({
  settled: a.settled + b.settled,
  committed: a.committed + b.committed,
});

/** The sums of one user and usage period. */
export interface UsageSums {
  /** Sent messages, including those with running replies. */
  messages: number;
  /** Charged. */
  settledTokens: number;
  /** Charged or reserved. */
  committedTokens: number;
  /** Open reservations of replies that the owner asked for outside of workspaces. */
  running: number;
  /** By the day (UTC) of the reservation, `2026-11-22`. */
  days: Record<string, DaySums>;
  /** Charged tokens. */
  kinds: Partial<Record<UsageKind, number>>;
  /**
   * Of the members of the owner's workspace, in its conversations; the owner is one of them. Also of each conversation for which the owner
   * pays what others ask, by its id.
   */
  members: Record<string, MemberSums>;
}

export const emptySums = (): UsageSums => ({
  messages: 0,
  settledTokens: 0,
  committedTokens: 0,
  running: 0,
  days: {},
  kinds: {},
  members: {},
});

/** A document of sums. A closed reservation stays until it is in the ledger, so that a crash between the two can be repaired. */
export interface UsageRecord extends UsageSums {
  id: string;
  ownerId: string;
  /** Raised by every change of the sums. */
  version: number;
  reservations: Reservation[];
}

export const tokensOf = (used: TokenUsage | undefined): number =>
  used ? used.promptTokens + used.completionTokens - (used.discountTokens ?? 0) : 0;

/**
 * Adds the discount on cached tokens.
 * @param cachedShare the weight of a cached token, 0 to 1
 */
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

/** The day (UTC) of a date, `2026-11-22`. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** The later one of two days, of which both may be absent. */
export const laterDay = (a: string | null, b: string | null): string | null =>
  (a ?? '') > (b ?? '') ? a : b;

/** The beginning of the next day (UTC). */
export const nextDay = (at: Date): Date =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1));
