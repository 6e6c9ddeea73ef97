import * as z from 'zod';

/** The purpose of used tokens. `reply` is a reply itself; the others are calls about it. */
export const USAGE_KINDS = ['reply', 'memory', 'check', 'insights', 'search'] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

/** The user's usage in the current usage period, and on the current day when there is a cap. */
export interface UsageSummary {
  /** Tokens that were charged or are reserved by running replies. */
  used: number;
  /** The part of `used` that running replies reserve. When they end, the unused rest is released. */
  reserved: number;
  /** Null: tokens are not limited. */
  limit: number | null;
  /** Average tokens of the user's messages in this period; `TOKENS_PER_MESSAGE` while there are few. */
  tokensPerMessage: number;
  /** When `used` restarts at 0, ISO 8601; null: never. */
  resetsAt: string | null;
  /** The user's own cap per day (UTC) and the charged tokens of the current day; absent without a cap. */
  cap?: { used: number; limit: number; resetsAt: string };
}

/** GET /api/usage. */
export interface Usage extends UsageSummary {
  /** When the usage period began, ISO 8601; null: with the account. */
  startsAt: string | null;
  /** Sent messages, for guests. */
  messages?: { used: number; limit: number };
  /** Charged tokens by day (UTC) of the usage period, oldest first, without days of no usage. */
  days: { date: string; tokens: number }[];
  /** Charged tokens of the usage period by kind, without kinds of no usage. */
  kinds: { kind: UsageKind; tokens: number }[];
  /** The user's own cap per day (UTC); null: none. */
  tokensPerDay: number | null;
  /** Tokens of the current day (UTC), as counted against the cap. */
  usedToday: number;
  /** What workspaces pay for the user; not part of `used`, unless the user owns the workspace. */
  workspaces: WorkspaceUsage[];
}

/** The user's charged tokens that a workspace pays for, in its current usage period. */
export interface WorkspaceUsage {
  workspaceId: string;
  name: string;
  tokens: number;
  /** The most tokens that the admins allow the user; null: no cap. */
  cap: number | null;
  /** When `tokens` restarts at 0, ISO 8601; null: never. */
  resetsAt: string | null;
}

/** PUT /api/usage/cap: the user's own cap per day (UTC); null removes it. Answers the usage. */
export const UsageCapBody = z.object({
  tokensPerDay: z
    .int('Enter a whole number of tokens.')
    .min(1_000, 'Enter at least 1,000 tokens.')
    .max(1_000_000_000, 'Enter a smaller number.')
    .nullable(),
});
export type UsageCapBody = z.infer<typeof UsageCapBody>;

export type LedgerState = 'reserved' | 'settled' | 'released' | 'expired';

/** One entry of the usage ledger: one attempt at a reply, or one background call. */
export interface LedgerLine {
  attempt: number;
  kind: UsageKind;
  state: LedgerState;
  model: string | null;
  promptTokens: number;
  /** The part of the prompt tokens that the provider had cached. */
  cachedTokens: number;
  completionTokens: number;
  /** The part of the completion tokens that was reasoning. */
  reasoningTokens: number;
  /** Counted tokens: prompt and completion, cached tokens only in part. Charged when settled. */
  tokens: number;
  /** ISO 8601. */
  at: string;
}

/** GET /api/replies/{id}/usage: the charges for a reply. */
export interface ReplyUsage {
  replyId: string;
  /** Of all settled entries. */
  tokens: number;
  entries: LedgerLine[];
}
