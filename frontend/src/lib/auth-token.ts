import { TOKEN_KEY } from './api.ts';
import { clearFetched, signedInUser } from './query-client.ts';
import { readItem, removeItem, removeItems, writeItem } from './storage.ts';

export type AuthEvent = 'signed-in' | 'signed-out';

// Notifies the other tabs; a tab does not receive its own messages.
const channel = new BroadcastChannel('auth');

export const getAuthToken = (): string | null => readItem(TOKEN_KEY);

/** Stores the token of a new session. Removes the data of the previous session; notifies other tabs. */
export function setAuthToken(token: string): void {
  const changed = token !== getAuthToken();
  writeItem(TOKEN_KEY, token);
  if (changed) clearAndNotify('signed-in');
}

/** Ends the session in this browser. Removes its data; notifies other tabs. */
export function removeAuthToken(): void {
  removeItem(TOKEN_KEY);
  clearAndNotify('signed-out');
}

/**
 * Calls back when another tab signs in or out, and when the browser shows this page again as it had kept it, with Back, after its session has
 * ended or changed. @returns a function that ends it.
 */
export function subscribeAuth(listener: (event: AuthEvent) => void): () => void {
  const onMessage = ({ data }: MessageEvent<{ type: AuthEvent }>) => listener(data.type);
  let left: string | null = null;
  const onHide = () => {
    left = getAuthToken();
  };
  const onShow = ({ persisted }: PageTransitionEvent) => {
    const token = getAuthToken();
    // A page that ends its session shows its user until it is left.
    const isSame = token === left && (token !== null || signedInUser() === null);
    if (persisted && !isSame) listener(token === null ? 'signed-out' : 'signed-in');
  };
  channel.addEventListener('message', onMessage);
  window.addEventListener('pagehide', onHide);
  window.addEventListener('pageshow', onShow);
  return () => {
    channel.removeEventListener('message', onMessage);
    window.removeEventListener('pagehide', onHide);
    window.removeEventListener('pageshow', onShow);
  };
}

/**
 * Removes what a user has written in this browser: drafts, unsent messages and unfinished uploads. For sign-out, not for an expired
 * session. Stars stay: they name conversations by id, and only their user's next sign-in shows them.
 */
export async function removeUserData(userId: string): Promise<void> {
  removeItems(`draft:${userId}:`);
  removeItems(`unsent:${userId}:`);
  removeItem(`deleted:${userId}`);
  await import('./forget-uploads.ts')
    .then(({ forgetUploads }) => forgetUploads())
    .catch(() => undefined);
}

/** Clears the data that was read for the user of a session. */
export function clearSessionData(): void {
  clearFetched();
  try {
    sessionStorage.clear();
  } catch {
    // Where the browser refuses storage, nothing is stored.
  }
}

function clearAndNotify(type: AuthEvent): void {
  clearSessionData();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
  channel.postMessage({ type });
}
