import type { DemoAllowance, User } from '../../contract/auth.ts';
import {
  GUEST_MESSAGE_LIMIT,
  MIN_MESSAGES_OF_AVERAGE,
  TOKENS_PER_MESSAGE,
} from '../../contract/limits.ts';
import {
  USAGE_KINDS,
  type Usage,
  type UsageSummary,
  type WorkspaceUsage,
} from '../../contract/usage.ts';
import { accountOf, type Entitlements, UNLIMITED_TOKENS } from '../billing/index.ts';
import type { UsageFeature } from './feature.ts';
import { usageIdOf } from './make-reservation.ts';
import { addDays, dayOf, laterDay, NO_TOKENS, nextDay, type UsageSums } from './records.ts';
import { type Sender, sumsElsewhere } from './reserve.ts';

// The usage that users see. The reservation of a running reply counts as `used` until the reply has ended; `reserved` is its amount. For
// guests only settled tokens count.

export async function readUsage(usage: UsageFeature, ownerId: string): Promise<Usage> {
  const entitlements = await usage.others.billing.entitlementsOf(ownerId);
  const [{ summary, sums, tokensPerDay, today }, workspaces] = await Promise.all([
    readSums(usage, ownerId, entitlements),
    readInWorkspaces(usage, ownerId),
  ]);
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
    workspaces,
  };
}

/** What workspaces pay for a user. */
const readInWorkspaces = async (usage: UsageFeature, userId: string): Promise<WorkspaceUsage[]> =>
  Promise.all(
    (await usage.others.workspaces.poolsOf(userId)).map(async ({ id, name, ownerId, cap }) => {
      const { members, resetsAt } = await readPool(usage, ownerId);
      return { workspaceId: id, name, tokens: members[userId]?.tokens ?? 0, cap, resetsAt };
    }),
  );

/** What a plan pays for the members of its owner's workspace in the current usage period. */
interface Pool {
  /** ISO 8601; null: never. */
  resetsAt: string | null;
  isUsedUp: boolean;
  /** The members who have asked for something, by the id of the user. */
  members: Record<string, { tokens: number; lastUsedOn: string | null }>;
}

export async function readPool({ others, periods }: UsageFeature, ownerId: string): Promise<Pool> {
  const entitlements = await others.billing.entitlementsOf(ownerId);
  const [sums, ever] = await Promise.all([
    periods.find({ id: usageIdOf(ownerId, entitlements), ownerId }),
    periods.findMembers(ownerId),
  ]);
  const members: Pool['members'] = {};
  for (const [userId, { lastOn }] of ever.flatMap((period) => Object.entries(period)))
    members[userId] = {
      tokens: sums?.members[userId]?.settled ?? 0,
      lastUsedOn: laterDay(lastOn, members[userId]?.lastUsedOn ?? null),
    };
  return {
    resetsAt: entitlements.period.endsAt?.toISOString() ?? null,
    isUsedUp: (sums?.settledTokens ?? 0) >= entitlements.limits.tokens,
    members,
  };
}

/** Whether a plan can pay for a conversation now: tokens are left of it, of its owner's cap of the day, and of the conversation's own. */
export async function canPayFor(
  usage: UsageFeature,
  { ownerId, conversationId, cap }: { ownerId: string; conversationId: string; cap: number },
): Promise<boolean> {
  const entitlements = await usage.others.billing.entitlementsOf(ownerId);
  if (entitlements.kind !== 'user' || !entitlements.mayChat) return false;
  const { sums, tokensPerDay, today } = await readSums(usage, ownerId, entitlements);
  const isLeft = (sums?.settledTokens ?? 0) < entitlements.limits.tokens;
  const isLeftToday = tokensPerDay === null || today.settled < tokensPerDay;
  return isLeft && isLeftToday && (sums?.members[conversationId]?.settled ?? 0) < cap;
}

/**
 * The plan shown with the account, and its usage: the remaining demo quota, the used quota of the plan, or whether a workspace pays. It is
 * read for each publication, which are two for each reply, so it takes as few queries as possible.
 */
export async function readPlan(
  usage: UsageFeature,
  { userId, isGuest }: Sender,
): Promise<Pick<User, 'subscriptionStatus' | 'subscriptionPlan' | 'demo' | 'usage' | 'hasPool'>> {
  const entitlements = await usage.others.billing.entitlementsOf(userId, accountOf({ isGuest }));
  const { kind, subscribed, subscriptionStatus, subscriptionPlan } = entitlements;
  const plan = { subscriptionStatus, subscriptionPlan };
  if (kind === 'guest') return { ...plan, demo: await readDemo(usage, userId, entitlements) };
  if (subscribed) return { ...plan, usage: (await readSums(usage, userId, entitlements)).summary };
  const pools = await usage.others.workspaces.poolsOf(userId);
  return { ...plan, ...(pools.length > 0 && { hasPool: true }) };
}

/** Sets the user's own cap per day (UTC); null removes it. Concurrent reservations may miss it. */
export async function setCap(
  usage: UsageFeature,
  ownerId: string,
  tokensPerDay: number | null,
): Promise<Usage> {
  await usage.caps.set(ownerId, tokensPerDay);
  return readUsage(usage, ownerId);
}

async function readDemo(
  { periods }: UsageFeature,
  ownerId: string,
  entitlements: Entitlements,
): Promise<DemoAllowance> {
  const { tokens } = entitlements.limits;
  const sums = await periods.find({ id: usageIdOf(ownerId, entitlements), ownerId });
  return {
    messagesLeft: Math.max(0, GUEST_MESSAGE_LIMIT - (sums?.messages ?? 0)),
    messageLimit: GUEST_MESSAGE_LIMIT,
    tokensLeft: Math.max(0, tokens - (sums?.settledTokens ?? 0)),
    tokenLimit: tokens,
  };
}

async function readSums(
  { periods, caps, now }: UsageFeature,
  ownerId: string,
  entitlements: Entitlements,
) {
  const at = now();
  const day = dayOf(at);
  const [sums, tokensPerDay, elsewhere] = await Promise.all([
    periods.find({ id: usageIdOf(ownerId, entitlements), ownerId }),
    caps.find(ownerId),
    sumsElsewhere({ periods }, { ownerId, day, entitlements }),
  ]);
  const today = addDays(elsewhere, sums?.days[day] ?? NO_TOKENS);
  const cap = tokensPerDay !== null && {
    cap: { used: today.settled, limit: tokensPerDay, resetsAt: nextDay(at).toISOString() },
  };
  const summary: UsageSummary = { ...summaryOf(entitlements, sums), ...cap };
  return { summary, sums, tokensPerDay, today };
}

/** All that was charged, background calls included, by the messages whose replies have ended. */
function averageOf(sums: UsageSums | null): number {
  const messages = sums ? sums.messages - runningOf(sums) : 0;
  if (!sums || messages < MIN_MESSAGES_OF_AVERAGE) return TOKENS_PER_MESSAGE;
  return Math.max(1, Math.round(sums.settledTokens / messages));
}

const runningOf = ({ running, members }: UsageSums): number =>
  Object.values(members).reduce((sum, member) => sum + member.running, running);

const summaryOf = ({ limits, period }: Entitlements, sums: UsageSums | null): UsageSummary => ({
  used: sums?.committedTokens ?? 0,
  reserved: sums ? sums.committedTokens - sums.settledTokens : 0,
  limit: limits.tokens === UNLIMITED_TOKENS ? null : limits.tokens,
  tokensPerMessage: averageOf(sums),
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
