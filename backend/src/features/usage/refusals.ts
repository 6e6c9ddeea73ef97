import { AppError } from '../../errors.ts';
import type { Entitlements } from '../billing/index.ts';
import type { UsageSums } from './records.ts';

/** A running reply ends at any moment; clients need not ask more often than this. */
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

export const quotaExceeded = (
  { kind, limits, period }: Entitlements,
  sums: Pick<UsageSums, 'messages' | 'settledTokens'> | null,
) =>
  new AppError(
    'quota_exceeded',
    kind === 'guest'
      ? 'Your demo is used up. Choose a plan to continue; your conversations stay.'
      : 'The tokens of your plan are used up for this month. Change your plan to continue.',
    {
      details: {
        used: { messages: sums?.messages ?? 0, tokens: sums?.settledTokens ?? 0 },
        limit: limits,
        ...(period.endsAt && { resetsAt: period.endsAt.toISOString() }),
      },
    },
  );

export const guestBudgetExceeded = (secondsLeft: number) =>
  new AppError(
    'quota_exceeded',
    'The demo is very busy: all guests together have used its tokens of this hour. Try again later, or choose a plan.',
    { retryAfter: secondsLeft },
  );
