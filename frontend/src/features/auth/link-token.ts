import { useEffect, useState } from 'react';
import { ApiError } from '../../lib/api.ts';

const tokenInAddress = (): string | null =>
  new URLSearchParams(location.hash.slice(1)).get('token');

/**
 * The secret of the mailed link that opened this page, or null. It is removed from the address, where the next user of
 * this browser would find it. It is in the fragment, which browsers send to no server.
 */
export function useLinkToken(): { token: string | null; forget: () => void } {
  const [token, setToken] = useState(tokenInAddress);
  useEffect(() => {
    const clearAddress = () =>
      history.replaceState(history.state, '', location.pathname + location.search);
    // Another link that is opened in this tab changes what stands behind the #, and loads nothing.
    const onHashChange = () => {
      const next = tokenInAddress();
      if (next === null) return;
      clearAddress();
      setToken(next);
    };
    signInFor = undefined;
    if (tokenInAddress() !== null) clearAddress();
    window.addEventListener('hashchange', onHashChange);
    return () => window.removeEventListener('hashchange', onHashChange);
  }, []);
  return { token, forget: () => setToken(null) };
}

/** The page of a mailed link that its user left to sign in first. It lives as long as this page does. */
let signInFor: string | undefined;

/** Has the next sign-in in this tab come back to the link. */
export function returnAfterSignIn(path: '/verify-email', token: string): void {
  signInFor = `${path}#token=${encodeURIComponent(token)}`;
}

/** Where the user of a mailed link goes after signing in. */
export const linkAfterSignIn = (): string | undefined => signInFor;

/** The link works no more: it was used, is too old, or its address has gone to another account. */
export const isLinkOver = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 404 || error.status === 409);
