import { AppError } from '../../errors.ts';
import type { Entitlements } from '../billing/index.ts';
import type { Payer } from '../payer.ts';

/** A running reply can end at any moment; clients need not retry more often. */
const RUNNING_RETRY_SECONDS = 5;

export const subscriptionRequired = ({ workspaceId, conversationId }: Payer) =>
  conversationId
    ? notPaid(conversationId)
    : new AppError(
        'subscription_required',
        workspaceId
          ? "The plan of the workspace's owner has ended. Everything is kept."
          : 'Choose a plan to chat.',
        workspaceId ? { details: { workspaceId } } : {},
      );

export const tooManyReplies = ({ runningReplies }: Entitlements) =>
  new AppError(
    'too_many_replies',
    `${runningReplies} replies are running already. Wait until one has ended, or stop one.`,
    { retryAfter: RUNNING_RETRY_SECONDS, details: { limit: runningReplies } },
  );

export const reservedByOthers = () =>
  new AppError(
    'too_many_replies',
    'The running replies may use all tokens that are left. Wait until one has ended.',
    { retryAfter: RUNNING_RETRY_SECONDS },
  );

export function quotaExceeded(
  { workspaceId, conversationId }: Payer,
  entitlements: Entitlements,
  { settledTokens, messages } = { settledTokens: 0, messages: 0 },
) {
  const { kind, limits, period, subscriptionPlan } = entitlements;
  if (conversationId) return notPaid(conversationId);
  if (workspaceId) return poolExceeded(workspaceId, period.endsAt);
  return new AppError('quota_exceeded', sentence(entitlements), {
    details: {
      used: settledTokens,
      limit: limits.tokens,
      resetsAt: period.endsAt?.toISOString() ?? null,
      ...(limits.messages !== undefined && {
        messages: { used: messages, limit: limits.messages },
      }),
      ...(kind === 'user' && subscriptionPlan !== 'pro' && { upgrade: true }),
    },
  });
}

function sentence({ kind, period, subscriptionPlan }: Entitlements): string {
  if (kind === 'guest')
    return 'Your demo is used up. Choose a plan to continue; your conversations stay.';
  const used = 'The tokens of your plan are used up for this month.';
  const until = period.endsAt ? ` until ${DATE.format(period.endsAt)}` : '';
  return subscriptionPlan === 'pro'
    ? `${used} Wait${until}, when they start again.`
    : `${used} Upgrade to Pro to continue, or wait${until}.`;
}

/** The owner of a conversation pays no more for it; says nothing of the amounts, as `poolExceeded`. The next send asks who pays again. */
const notPaid = (conversationId: string) =>
  new AppError(
    'quota_exceeded',
    'The owner pays no more for this conversation at present. Send again to pay with your own plan.',
    { details: { conversationId } },
  );

/** Says nothing of the amounts: the owner's own usage is part of them. */
const poolExceeded = (workspaceId: string, until: Date | null) =>
  new AppError(
    'quota_exceeded',
    until
      ? `The workspace's tokens are used up until ${DATE.format(until)}.`
      : "The workspace's tokens are used up.",
    { details: { workspaceId, resetsAt: until?.toISOString() ?? null } },
  );

/** The cap that the admins of a workspace have set for the member. */
export const memberCapExceeded = (
  { workspaceId, conversationId }: Payer,
  { period: { endsAt } }: Entitlements,
  { used, limit }: { used: number; limit: number },
) =>
  conversationId
    ? notPaid(conversationId)
    : new AppError(
        'quota_exceeded',
        `Your share of the workspace's tokens is used up${endsAt ? ` until ${DATE.format(endsAt)}` : ''}.`,
        {
          details: {
            workspaceId,
            memberCap: true,
            used,
            limit,
            resetsAt: endsAt?.toISOString() ?? null,
          },
        },
      );

const DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

/** The payer's own cap of the day is used up. */
export const capExceeded = (
  { workspaceId, conversationId }: Payer,
  { used, limit, resetsAt }: { used: number; limit: number; resetsAt: Date },
) => {
  if (conversationId) return notPaid(conversationId);
  if (workspaceId) return poolExceeded(workspaceId, resetsAt);
  return new AppError(
    'quota_exceeded',
    `Your own limit of ${limit.toLocaleString('en-US')} tokens per day is used up. Change it in Settings, or continue tomorrow (UTC).`,
    { details: { used, limit, resetsAt: resetsAt.toISOString(), cap: true } },
  );
};

export const guestBudgetExceeded = (secondsLeft: number) =>
  new AppError(
    'quota_exceeded',
    'The demo is very busy: all guests together have used its tokens of this hour. Try again later, or choose a plan.',
    { retryAfter: secondsLeft },
  );
