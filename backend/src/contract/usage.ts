import * as z from 'zod';

/** What tokens were used for. `reply` is a reply itself; the others are background calls about it. */
export const USAGE_KINDS = ['reply', 'memory', 'check', 'insights', 'title'] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

/** What the user has used of the present usage period, and of the day when there is a cap. */
export interface UsageSummary {
  /** Tokens that were charged or are reserved by running replies. */
  used: number;
  /** The share of `used` that running replies reserve. When they end, what they did not use is given back. */
  reserved: number;
  /** Null: tokens are not limited. */
  limit: number | null;
  /** What one of the user's messages takes on average in this period, or `TOKENS_PER_MESSAGE` while there are few. */
  tokensPerMessage: number;
  /** When `used` starts again at 0, ISO 8601; null: never. */
  resetsAt: string | null;
  /** The user's own cap per day (UTC) and what was charged on the present day; left out when there is none. */
  cap?: { used: number; limit: number; resetsAt: string };
}

/** GET /api/usage. */
export interface Usage extends UsageSummary {
  /** When the usage period began, ISO 8601; null: with the account. */
  startsAt: string | null;
  /** Sent messages, for guests. */
  messages?: { used: number; limit: number };
  /** Charged tokens by day (UTC) of the usage period, the earliest first; days without usage are left out. */
  days: { date: string; tokens: number }[];
  /** Charged tokens of the usage period by kind; kinds without usage are left out. */
  kinds: { kind: UsageKind; tokens: number }[];
  /** The user's own cap per day (UTC); null: none. */
  tokensPerDay: number | null;
  /** Tokens of the present day (UTC), as counted against the cap. */
  usedToday: number;
}

/** PUT /api/usage/cap: a cap of one's own per day (UTC); null removes it. Answers the usage. */
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
  /** The share of the prompt tokens that the provider had cached. */
  cachedTokens: number;
  completionTokens: number;
  /** The share of the completion tokens that was reasoning. */
  reasoningTokens: number;
  /** What counts: prompt and completion, of cached tokens only a share. Charged when it is settled. */
  tokens: number;
  /** ISO 8601. */
  at: string;
}

/** GET /api/replies/{id}/usage: what a reply was charged. */
export interface ReplyUsage {
  replyId: string;
  /** Of all settled entries. */
  tokens: number;
  entries: LedgerLine[];
}
