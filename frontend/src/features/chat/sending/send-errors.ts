import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { navigate } from 'wouter/use-browser-location';
import { ApiError, TimeoutError, userMessageOf } from '../../../lib/api.ts';
import { dismissToast, toast, toastError } from '../../../ui/toast-store.ts';
import { readAgain } from '../../workspaces/index.ts';
import { describePoolUsedUp } from './payer.ts';
import { describeSpent, UPGRADE_PATH, USAGE_PATH } from './quota.ts';

// docs/product.md, 'Error messages'. The signs are parts of what servers send, which is English.
const SLOW_TOAST_MS = 10_000;
const SLOW_SIGNS = /still processing|Complex questions|taking longer/;
const SLOW_STATUSES = new Set([408, 504, 524]);

/**
 * Why a send has failed. `unconfirmed`: it may have been accepted although its answer is missing. `unreachable`: there is no network, or nothing
 * behind the gateway. `unavailable`: the server cannot take it now. `busy`: a reply is being generated. `refused`: for any other reason.
 */
type SendFailure = 'unconfirmed' | 'unreachable' | 'unavailable' | 'busy' | 'signedOut' | 'refused';

export function failureOf(error: unknown): SendFailure {
  if (isUnconfirmed(error)) return 'unconfirmed';
  if (error instanceof TypeError) return 'unreachable';
  if (!(error instanceof ApiError)) return 'refused';
  if (error.status === 502) return 'unreachable';
  if (error.status === 503 || error.status === 429) return 'unavailable';
  if (error.body?.code === 'reply_in_progress') return 'busy';
  return error.status === 401 ? 'signedOut' : 'refused';
}

function isUnconfirmed(error: unknown): boolean {
  if (error instanceof TimeoutError) return true;
  if (!(error instanceof ApiError)) return false;
  return SLOW_STATUSES.has(error.status) || SLOW_SIGNS.test(error.body?.message ?? error.message);
}

let slowToast = 0;

export function showSlow(): void {
  slowToast = toast({
    title: t('slowTitle'),
    description: t('slowText'),
    duration: SLOW_TOAST_MS,
  });
}

/** The reply has arrived. */
export const dismissSlow = (): void => dismissToast(slowToast);

/** The text about a failed send, and the link when a plan or quota is missing. */
export interface SendProblem {
  title?: string;
  message: string;
  link?: { label: string; path: string };
}

export function describeSendError(
  error: unknown,
  user: Pick<User, 'subscriptionPlan' | 'subscriptionStatus'>,
  fallback = t('sendFailed'),
): SendProblem {
  const message = userMessageOf(error, fallback);
  if (isConversationGone(error)) return { title: t('noConversation'), message };
  if (!(error instanceof ApiError) || error.status !== 402) return { message };
  const isGuest = user.subscriptionStatus === 'guest';
  const problem = isGuest ? undefined : describeSpentQuota(error.body?.details ?? {});
  const path = user.subscriptionPlan ? UPGRADE_PATH : '/subscription';
  return problem ?? { message, link: { label: t('seePlans'), path } };
}

/** The conversation was deleted. A deleted file of the message is named by the details. */
const isConversationGone = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404 && error.body?.details?.field === undefined;

/** The text of the details of `quota_exceeded`; undefined when the sums are missing. */
function describeSpentQuota(details: Record<string, unknown>): SendProblem | undefined {
  const { used, limit, cap, upgrade } = details;
  if (details.workspaceId)
    return {
      title: t('allUsedUp'),
      message: describePoolUsedUp(details.memberCap === true, dayOf(details)),
    };
  if (typeof used !== 'number' || typeof limit !== 'number') return undefined;
  const spent = { used, limit, resetsAt: dayOf(details) };
  if (cap)
    return {
      title: t('capUsedUp'),
      message: describeSpent(spent, 'spentToday'),
      link: { label: t('changeCap'), path: USAGE_PATH },
    };
  return {
    title: t('allUsedUp'),
    message: describeSpent(spent, 'spentThisMonth'),
    ...(upgrade === true && { link: { label: t('upgrade'), path: UPGRADE_PATH } }),
  };
}

const dayOf = ({ resetsAt }: Record<string, unknown>): string | null =>
  typeof resetsAt === 'string' ? resetsAt : null;

/** Shows the error, with a link where that helps. */
export function showSendError(...problem: Parameters<typeof describeSendError>): void {
  const [error] = problem;
  // The composer then shows the state of the pool.
  if (error instanceof ApiError && error.body?.details?.workspaceId) readAgain();
  const { title = common('error'), message, link } = describeSendError(...problem);
  toastError(
    title,
    message,
    link && { action: { label: link.label, onSelect: () => navigate(link.path) } },
  );
}
