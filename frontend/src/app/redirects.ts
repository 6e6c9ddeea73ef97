import { isSubscribed, mayChat, type User } from '@stolas/backend/contract';
import { hasPlans } from '../lib/page-settings.ts';

const ALREADY_SUBSCRIBED_MS = 500;

/** The parameters with which a payment page returns. The page shows the result of the payment. */
const PAYMENT_RETURNS = ['success', 'canceled', 'upgrade_cancelled'];

export interface Detour {
  to: '/' | '/subscription' | '/login';
  /** Milliseconds to stay first, with a notice that says why. */
  after?: number;
}

/**
 * Where a user who opens `path` is redirected, or null (docs/product.md, 'Screens' and 'Who may chat'). For convenience
 * only: the server checks every call itself.
 */
export function detourFor(path: string, search: string, user: User | null): Detour | null {
  if (path === '/subscription' && !hasPlans()) return { to: user ? '/' : '/login' };
  const params = new URLSearchParams(search);
  const isPaymentReturn = PAYMENT_RETURNS.some((name) => params.get(name) === 'true');
  // The session ended on the payment page; the subscription appears after the next sign-in.
  if (!user) return path === '/subscription' && isPaymentReturn ? { to: '/login' } : null;
  // Without a plan conversations can be read.
  if (path === '/')
    return mayChat(user) || user.hasPool || isStored(params.get('c'))
      ? null
      : { to: '/subscription' };
  if (path === '/login') {
    if (user.subscriptionStatus === 'guest') return null;
    // A provider has sent back a user who signs in again.
    if (params.has('continue') || params.has('error')) return null;
    return { to: isSubscribed(user) ? '/' : '/subscription' };
  }
  if (path === '/subscription' && isSubscribed(user)) {
    const isChanging = params.get('change') === 'true' || isOtherPlan(params.get('plan'), user);
    return isChanging || isPaymentReturn ? null : { to: '/', after: ALREADY_SUBSCRIBED_MS };
  }
  return null;
}

const isStored = (conversation: string | null): boolean =>
  conversation !== null && conversation !== 'new';

/** Whether a user who signed in to choose a plan has another one. */
const isOtherPlan = (chosen: string | null, { subscriptionPlan }: User): boolean =>
  chosen !== null && chosen !== subscriptionPlan;
