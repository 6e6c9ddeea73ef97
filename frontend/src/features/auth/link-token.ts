import { useEffect, useState } from 'react';
import { ApiError } from '../../lib/api.ts';

const tokenInAddress = (): string | null =>
  new URLSearchParams(location.hash.slice(1)).get('token');

/**
 * The secret of the mailed link that opened this page, or null. It is removed from the address, so that the next user
 * of this browser does not find it. It is in the fragment, which browsers send to no server.
 */
export function useLinkToken(): { token: string | null; forget: () => void } {
  const [token, setToken] = useState(tokenInAddress);
  useEffect(() => {
    const clearAddress = () =>
      history.replaceState(history.state, '', location.pathname + location.search);
    // Another link that is opened in this tab changes only the fragment and loads no page.
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

/** The page of a mailed link that its user left to sign in first. It is kept until the page is reloaded. */
let signInFor: string | undefined;

/** Makes the next sign-in in this tab return to the link; one without a secret is whole in its path. */
export function returnAfterSignIn(
  path: '/verify-email' | '/invitation' | `/s/${string}`,
  token?: string,
): void {
  signInFor = token === undefined ? path : `${path}#token=${encodeURIComponent(token)}`;
}

/** Where the user of a mailed link goes after signing in. */
export const linkAfterSignIn = (): string | undefined => signInFor;

/** The link no longer works: it was used, has expired, or its email address belongs to another account. */
export const isLinkOver = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 404 || error.status === 409);
