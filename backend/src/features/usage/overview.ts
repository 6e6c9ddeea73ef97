import type { DemoAllowance, User } from '../../contract/auth.ts';
import { GUEST_MESSAGE_LIMIT } from '../../contract/limits.ts';
import { USAGE_KINDS, type Usage, type UsageSummary } from '../../contract/usage.ts';
import { accountOf, type BillingService, type Entitlements } from '../billing/index.ts';
import type { CapStore } from './cap-model.ts';
import type { UsageStore } from './model.ts';
import { addDays, type DaySums, dayOf, NO_TOKENS, nextDay, type UsageSums } from './records.ts';
import { usageIdOf } from './reserving.ts';

interface OverviewDeps {
  store: Pick<UsageStore, 'find' | 'findDay'>;
  caps: Pick<CapStore, 'find' | 'set'>;
  entitlementsOf: BillingService['entitlementsOf'];
  now: () => Date;
}

/**
 * What users see of their usage. What a running reply reserves counts as `used` until it has ended, beside `reserved`, which says
 * how much that is; of the demo only what is settled counts.
 */
export function createOverview({ store, caps, entitlementsOf, now }: OverviewDeps) {
  const readDemo = async (ownerId: string): Promise<DemoAllowance> => {
    const entitlements = await entitlementsOf(ownerId, accountOf({ isGuest: true }));
    const { tokens } = entitlements.limits;
    const sums = await store.find(usageIdOf(ownerId, entitlements));
    return {
      messagesLeft: Math.max(0, GUEST_MESSAGE_LIMIT - (sums?.messages ?? 0)),
      messageLimit: GUEST_MESSAGE_LIMIT,
      tokensLeft: Math.max(0, tokens - (sums?.settledTokens ?? 0)),
      tokenLimit: tokens,
    };
  };

  const readSums = async (ownerId: string, entitlements: Entitlements) => {
    const at = now();
    const [sums, tokensPerDay, days] = await Promise.all([
      store.find(usageIdOf(ownerId, entitlements)),
      caps.find(ownerId),
      store.findDay(ownerId, dayOf(at)),
    ]);
    const today = days.reduce<DaySums>(addDays, NO_TOKENS);
    const cap = tokensPerDay !== null && {
      cap: { used: today.settled, limit: tokensPerDay, resetsAt: nextDay(at).toISOString() },
    };
    const summary: UsageSummary = { ...summaryOf(entitlements, sums), ...cap };
    return { summary, sums, tokensPerDay, today };
  };

  const readUsage = async (ownerId: string): Promise<Usage> => {
    const entitlements = await entitlementsOf(ownerId);
    const { summary, sums, tokensPerDay, today } = await readSums(ownerId, entitlements);
    const { messages } = entitlements.limits;
    return {
      ...summary,
      startsAt: entitlements.period.startsAt?.toISOString() ?? null,
      ...(messages !== undefined && {
        messages: { used: sums?.messages ?? 0, limit: messages },
      }),
      days: daysOf(sums),
      kinds: kindsOf(sums),
      tokensPerDay,
      usedToday: today.committed,
    };
  };

  return {
    readUsage,

    /** What a user sees with the account: what is left of the demo, or what is used of the plan. */
    readShownUsage: async (user: {
      userId: string;
      isGuest: boolean;
    }): Promise<Pick<User, 'demo' | 'usage'>> => {
      if (user.isGuest) return { demo: await readDemo(user.userId) };
      const entitlements = await entitlementsOf(user.userId, { subscriptionStatus: null });
      if (!entitlements.subscribed) return {};
      return { usage: (await readSums(user.userId, entitlements)).summary };
    },

    /** Sets the user's own cap per day (UTC); null removes it. Reservations that are being made may miss it. */
    setCap: async (ownerId: string, tokensPerDay: number | null): Promise<Usage> => {
      await caps.set(ownerId, tokensPerDay);
      return readUsage(ownerId);
    },
  };
}

const summaryOf = (
  { limits, period }: Entitlements,
  sums: Pick<UsageSums, 'committedTokens' | 'settledTokens'> | null,
): UsageSummary => ({
  used: sums?.committedTokens ?? 0,
  reserved: sums ? sums.committedTokens - sums.settledTokens : 0,
  limit: limits.tokens,
  resetsAt: period.endsAt?.toISOString() ?? null,
});

const daysOf = (sums: UsageSums | null): Usage['days'] =>
  Object.entries(sums?.days ?? {})
    .map(([date, { settled }]) => ({ date, tokens: settled }))
    .filter(({ tokens }) => tokens > 0)
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));

const kindsOf = (sums: UsageSums | null): Usage['kinds'] =>
  USAGE_KINDS.map((kind) => ({ kind, tokens: sums?.kinds[kind] ?? 0 })).filter(
    ({ tokens }) => tokens > 0,
  );
