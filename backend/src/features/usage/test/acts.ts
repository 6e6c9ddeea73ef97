import type { Entitlements } from '../../billing/entitlements.ts';
import { monthlyPeriod } from '../../billing/period.ts';
import type { AttemptKey, TokenUsage } from '../records.ts';
import { type Book, newObjectId } from './ledger-book.ts';

export const MINUTE = 60_000;
export const STARTED_AT = new Date('2026-01-31T10:00:00Z');

/** The first attempt at a reply. */
export const first = (replyId = newObjectId()): AttemptKey => ({ replyId, attempt: 1 });

export const used = (promptTokens: number, completionTokens: number): TokenUsage => ({
  promptTokens,
  completionTokens,
});

/** Common steps of tests with the book from `opened`. */
export const actsOf = (opened: () => Book) => ({
  reserve: (ownerId: string, key = first(), promptTokens = 100, replyTokens = 400) =>
    opened().usage.reserve(ownerId, { ...key, promptTokens, replyTokens }),

  /** Charges tokens for one reply. */
  spend: (ownerId: string, tokens: number) =>
    opened().usage.settle(ownerId, first(), used(tokens, 0)),

  /** A subscriber with the given limit per month. */
  subscriber: (tokens: number, { running = 6, ...plan }: SubscriberOptions = {}) => {
    const book = opened();
    const ownerId = newObjectId();
    book.entitle(ownerId, {
      kind: 'user',
      subscribed: true,
      subscriptionStatus: 'active',
      subscriptionPlan: 'starter',
      limits: { tokens },
      runningReplies: running,
      period: monthlyPeriod({ startedAt: STARTED_AT, now: book.now() }),
      ...plan,
    });
    return ownerId;
  },

  demoOf: async (guest: string) => {
    const { demo } = await opened().usage.readPlan({ userId: guest, isGuest: true });
    if (!demo) throw new Error('There is no demo.');
    return demo;
  },
});

interface SubscriberOptions extends Partial<Entitlements> {
  running?: number;
}
