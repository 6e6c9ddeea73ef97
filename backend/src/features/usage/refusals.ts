import { AppError } from '../../errors.ts';
import type { Entitlements } from '../billing/index.ts';

/** A running reply can end at any moment; clients need not retry more often. */
const RUNNING_RETRY_SECONDS = 5;

export const subscriptionRequired = () =>
  new AppError('subscription_required', 'Choose a plan to chat.');

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
  entitlements: Entitlements,
  { settledTokens, messages }: { settledTokens: number; messages: number },
) {
  const { kind, limits, period, subscriptionPlan } = entitlements;
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

const DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

/** The user's own cap of the day is used up. */
export const capExceeded = ({
  used,
  limit,
  resetsAt,
}: {
  used: number;
  limit: number;
  resetsAt: Date;
}) =>
  new AppError(
    'quota_exceeded',
    `Your own limit of ${limit.toLocaleString('en-US')} tokens per day is used up. Change it in Settings, or continue tomorrow (UTC).`,
    { details: { used, limit, resetsAt: resetsAt.toISOString(), cap: true } },
  );

export const guestBudgetExceeded = (secondsLeft: number) =>
  new AppError(
    'quota_exceeded',
    'The demo is very busy: all guests together have used its tokens of this hour. Try again later, or choose a plan.',
    { retryAfter: secondsLeft },
  );
