import { t } from 'virtual:texts/chat';
import { chargedTokens, mayChat, type UsageSummary, type User } from '@stolas/backend/contract';
import { formatNumber } from '../../../lib/number.ts';
import { formatShortDay, formatTime } from '../../../lib/time.ts';

/**
 * The reason why nothing can be sent: no active plan, or no quota left in the demo, the plan or the user's own cap of
 * the day.
 */
export type UsedUp = 'noPlan' | 'demo' | 'plan' | 'cap';

/** Whether a guest has used up the demo. */
export const isDemoUsedUp = ({ demo }: Pick<User, 'demo'>): boolean =>
  demo !== undefined && (demo.messagesLeft <= 0 || demo.tokensLeft <= 0);

/** Where the user can change their own cap. */
export const USAGE_PATH = '/settings#usage';
/** Without the parameter a subscriber would be redirected from there. */
export const UPGRADE_PATH = '/subscription?change=true';

/** A used sum without the tokens that a running reply has only reserved: it may give most of them back. */
export interface Spent {
  used: number;
  limit: number;
  resetsAt: string | null;
}

type PlanSpent = Spent & Pick<UsageSummary, 'tokensPerMessage'>;

export const spentOf = ({ usage }: Pick<User, 'usage'>): PlanSpent | undefined =>
  usage && usage.limit !== null
    ? { ...usage, limit: usage.limit, used: chargedTokens(usage) }
    : undefined;

const isSpent = (spent: Spent | undefined): boolean =>
  spent !== undefined && spent.used >= spent.limit;

export function usedUpOf(user: User): UsedUp | undefined {
  if (!mayChat(user)) return 'noPlan';
  if (isDemoUsedUp(user)) return 'demo';
  if (isSpent(spentOf(user))) return 'plan';
  return isSpent(user.usage?.cap) ? 'cap' : undefined;
}

/** Tokens that are left of what ends first: the demo, the plan or the user's own cap; undefined without any. */
export function leftOf(
  user: Pick<User, 'demo' | 'usage'>,
): { left: number; limit: number } | undefined {
  const { demo, usage } = user;
  const quotas = [spentOf(user), usage?.cap].flatMap((one) =>
    one ? [{ left: one.limit - one.used, limit: one.limit }] : [],
  );
  if (demo) quotas.push({ left: demo.tokensLeft, limit: demo.tokenLimit });
  return quotas.toSorted((a, b) => a.left - b.left)[0];
}

/** Whether there is a plan with more tokens. */
export const canUpgrade = ({ subscriptionPlan }: Pick<User, 'subscriptionPlan'>): boolean =>
  subscriptionPlan !== 'pro';

/** When tokens are there again, as a sentence or a line: 'on Dec 1'; within the next day 'at 14:30'. */
export function describeReset(resetsAt: string, form: 'sentence' | 'line'): string {
  const isSoon = Date.parse(resetsAt) - Date.now() < DAY_MS;
  const when = { time: formatTime(resetsAt), day: formatShortDay(resetsAt) };
  if (form === 'sentence') return t(isSoon ? 'startAgainAt' : 'startAgainOn', when);
  return t(isSoon ? 'resetsAt' : 'resetsOn', when);
}

const DAY_MS = 86_400_000;

/** 'You have used 200,000 of 200,000 tokens this month. You can continue on Dec 1.' */
export function describeSpent(
  { used, limit, resetsAt }: Spent,
  text: 'spentToday' | 'spentThisMonth',
): string {
  const spent = t(text, { used: formatNumber(used), limit: formatNumber(limit) });
  return resetsAt ? `${spent} ${describeReset(resetsAt, 'sentence')}` : spent;
}
