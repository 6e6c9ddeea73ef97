import { isSubscribed, mayChat, type User } from '@stolas/backend/contract';

const ALREADY_SUBSCRIBED_MS = 500;

export interface Detour {
  to: '/' | '/subscription';
  /** Milliseconds to stay first, with a notice that says why. */
  after?: number;
}

/**
 * Where a user who opens `path` is redirected, or null (docs/product.md, 'Screens' and 'Who may chat'). For convenience
 * only: the server checks every call itself.
 */
export function detourFor(path: string, search: string, user: User | null): Detour | null {
  if (!user) return null;
  if (path === '/') return mayChat(user) ? null : { to: '/subscription' };
  if (path === '/login') {
    if (user.subscriptionStatus === 'guest') return null;
    return { to: isSubscribed(user) ? '/' : '/subscription' };
  }
  if (path === '/subscription' && isSubscribed(user)) {
    const changing = new URLSearchParams(search).get('change') === 'true';
    return changing ? null : { to: '/', after: ALREADY_SUBSCRIBED_MS };
  }
  return null;
}
