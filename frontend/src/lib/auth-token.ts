import { TOKEN_KEY } from './api.ts';
import { clearFetched } from './query-client.ts';
import { readItem, removeItem, removeItems, writeItem } from './storage.ts';

export type AuthEvent = 'signed-in' | 'signed-out';

// Tabs tell each other here; a tab does not hear itself.
const channel = new BroadcastChannel('auth');

export const getAuthToken = (): string | null => readItem(TOKEN_KEY);

/** Keeps the token of a new session. Forgets what the session before it fetched; tells other tabs. */
export function setAuthToken(token: string): void {
  const changed = token !== getAuthToken();
  writeItem(TOKEN_KEY, token);
  if (changed) forgetAndTell('signed-in');
}

/** Ends the session in this browser. Forgets what it fetched; tells other tabs. */
export function removeAuthToken(): void {
  removeItem(TOKEN_KEY);
  forgetAndTell('signed-out');
}

/** Calls back when another tab signs in or out. Returns the way to stop. */
export function subscribeAuth(listener: (event: AuthEvent) => void): () => void {
  const onMessage = ({ data }: MessageEvent<{ type: AuthEvent }>) => listener(data.type);
  channel.addEventListener('message', onMessage);
  return () => channel.removeEventListener('message', onMessage);
}

/** Removes what a user has left in this browser's storage: drafts and stars. For sign-out, not for an expired session. */
export function forgetUser(userId: string): void {
  removeItems(`draft:${userId}:`);
  removeItem(`stars:${userId}`);
}

/** Clears what was fetched for the user of a session. */
export function forgetSession(): void {
  clearFetched();
  try {
    sessionStorage.clear();
  } catch {
    // Refused storage holds nothing.
  }
}

function forgetAndTell(type: AuthEvent): void {
  forgetSession();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
  channel.postMessage({ type });
}
