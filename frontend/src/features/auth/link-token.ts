import { useEffect, useState } from 'react';
import { ApiError } from '../../lib/api.ts';

const tokenInAddress = (): string | null =>
  new URLSearchParams(location.hash.slice(1)).get('token');

/**
 * The secret of the mailed link that opened this page, or null. It is taken out of the address, where the next person
 * at this browser would find it; it stands behind the #, so no server has seen it either.
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
    if (tokenInAddress() !== null) clearAddress();
    window.addEventListener('hashchange', onHashChange);
    return () => window.removeEventListener('hashchange', onHashChange);
  }, []);
  return { token, forget: () => setToken(null) };
}

/** The link works no more: it was used, is too old, or its address has gone to another account. */
export const isLinkOver = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 404 || error.status === 409);
