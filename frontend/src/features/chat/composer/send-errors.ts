import type { User } from '@stolas/backend/contract';
import { navigate } from 'wouter/use-browser-location';
import { ApiError, TimeoutError, userMessageOf } from '../../../lib/api.ts';
import { toast } from '../../../ui/toast-store.ts';

// docs/product.md, 'Error messages'.
const SLOW_TOAST_MS = 10_000;
const SLOW_SIGNS = ['still processing', 'Complex questions', 'taking longer'];
const SLOW_STATUSES = new Set([408, 504, 524]);

/** Whether the send may have been accepted although its answer is missing. */
export function isStillProcessing(error: unknown): boolean {
  if (error instanceof TimeoutError) return true;
  if (!(error instanceof ApiError)) return false;
  return (
    SLOW_STATUSES.has(error.status) ||
    SLOW_SIGNS.some((sign) => (error.userMessage ?? error.message).includes(sign))
  );
}

export function tellSlow(): void {
  toast({
    title: 'AI is Still Processing',
    description: 'Complex queries take 2-3 minutes. The answer appears automatically.',
    duration: SLOW_TOAST_MS,
  });
}

/** What to tell the user about a failed send, and the path to the plans when a plan or quota is missing. */
export interface SendProblem {
  message: string;
  plansPath?: string;
}

export function describeSendError(
  error: unknown,
  user: Pick<User, 'subscriptionPlan'>,
  fallback = 'Failed to send message. Please try again.',
): SendProblem {
  const message = userMessageOf(error, fallback);
  if (!(error instanceof ApiError) || error.status !== 402) return { message };
  // Without the parameter a subscriber would be sent straight back from there.
  const plansPath = user.subscriptionPlan ? '/subscription?change=true' : '/subscription';
  return { message, plansPath };
}

/** Shows the error, with a link to the plans where that helps. */
export function tellSendError(...problem: Parameters<typeof describeSendError>): void {
  const { message, plansPath } = describeSendError(...problem);
  toast({
    title: 'Error',
    description: message,
    variant: 'destructive',
    ...(plansPath && { action: { label: 'See plans', onSelect: () => navigate(plansPath) } }),
  });
}
