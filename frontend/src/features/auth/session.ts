import { t } from 'virtual:texts/app';
import type {
  GoogleBody,
  LoginBody,
  RegisterBody,
  ResetPasswordBody,
  TokenResult,
} from '@stolas/backend/contract';
import { navigate } from 'wouter/use-browser-location';
import { ApiError, apiPost } from '../../lib/api.ts';
import { removeAuthToken, removeUserData, setAuthToken } from '../../lib/auth-token.ts';
import { goTo, holdPlace, isPlaceHeld } from '../../lib/location.ts';
import { pause } from '../../lib/pause.ts';
import { refreshUser, signedInUser } from '../../lib/query-client.ts';
import { readItem, removeItem, writeItem } from '../../lib/storage.ts';
import { dismissToasts } from '../../ui/toast-store.ts';

// The browser moves on about 100 ms after the token is stored.
const ENTRY_DELAY_MS = 100;

/** The state of the page that a sign-in opens. */
export const SIGNED_IN = 'signed-in';

/** Set from a sign-out until the server has carried it out. */
const SIGNING_OUT_KEY = 'signingOut';
const RETRY_MS = 5_000;

/** The destination of a user who signs in at a provider. */
const NEXT_KEY = 'signInNext';

/** Signs in and goes to `next`. @throws Error whose message is for the user, with the ApiError as its cause · TypeError without a network */
export const signIn = (body: LoginBody, next: string): Promise<void> =>
  authenticate('/api/auth/login', body, next);

/** Registers (a guest keeps the conversations) and goes to `next`. Throws as `signIn` does. */
export const register = (body: RegisterBody, next: string): Promise<void> =>
  authenticate('/api/auth/register', body, next);

/** Signs in with what Google's widget gave. Throws as `signIn` does. */
export const signInWithCredential = (body: GoogleBody, next: string): Promise<void> =>
  authenticate('/api/auth/google', body, next);

/**
 * Redirects to a provider's own page; `next` is kept in this tab until the callback. `again` makes the provider ask
 * again.
 */
export function redirectToProvider(
  path: '/api/login' | '/api/auth/google',
  next: string,
  { again = false } = {},
): void {
  try {
    sessionStorage.setItem(NEXT_KEY, next);
  } catch {
    // Then the user returns to the plans, as after any sign-in.
  }
  goTo(again ? `${path}?again=true` : path);
}

/** Completes a sign-in by redirect: fetches the token of the user whom the provider identified. Throws as `signIn` does. */
export const completeSignIn = (): Promise<void> =>
  authenticate('/api/auth/complete', undefined, nextAfterCallback());

function nextAfterCallback(): string {
  try {
    return sessionStorage.getItem(NEXT_KEY) ?? '/subscription';
  } catch {
    return '/subscription';
  }
}

/**
 * Sets a new password by a mailed link and signs in.
 * @returns what the call did.
 * @throws ApiError · TypeError without a network
 */
export async function resetPassword(body: ResetPasswordBody): Promise<string> {
  const result = await askToken('/api/auth/password/reset', body);
  await enter(result, '/subscription');
  return result.message ?? '';
}

/** Creates a guest session and opens the chat. Throws when the server refuses or is unreachable. */
export async function startGuest(): Promise<void> {
  await enter(await askToken('/api/auth/guest'), '/');
}

/** Ends the session in this browser, and on the server as soon as that answers. Loads /login. */
export async function signOut(): Promise<void> {
  writeItem(SIGNING_OUT_KEY, 'true');
  await endingSession(finishSignOut);
  await leave();
}

let finishing: Promise<void> | undefined;

/** Repeats a sign-out that the server has not carried out, until it has. The browser still has the cookie of that session. */
export function finishSignOut(): Promise<void> {
  if (readItem(SIGNING_OUT_KEY) === null) return Promise.resolve();
  finishing ??= apiPost('/api/auth/signout')
    .then(
      () => removeItem(SIGNING_OUT_KEY),
      () => void setTimeout(() => void finishSignOut(), RETRY_MS),
    )
    .finally(() => {
      finishing = undefined;
    });
  return finishing;
}

/** Ends the session in this browser after its user has ended it on the server: drafts and unfinished uploads go too. Loads `to`. */
export async function leave(to = '/login'): Promise<void> {
  const user = signedInUser();
  if (user) await removeUserData(user.id);
  await forgetSession(to);
}

/**
 * Makes a call that ends the session. The socket or another tab may report the end before the answer arrives: that loads
 * no page, so the caller can still remove what the user has left here.
 */
export async function endingSession<T>(call: () => Promise<T>): Promise<T> {
  holdPlace(true);
  try {
    return await call();
  } catch (error) {
    holdPlace(false);
    throw error;
  }
}

/** Ends a session in this browser that the server no longer knows; drafts stay. Loads /login. */
export async function endSession(): Promise<void> {
  if (!isPlaceHeld()) await forgetSession('/login');
}

async function forgetSession(to: string): Promise<void> {
  removeAuthToken();
  await deleteCacheStorage().catch(() => undefined);
  goTo(to);
}

async function authenticate(path: string, body: unknown, next: string): Promise<void> {
  try {
    await enter(await askToken(path, body), next);
  } catch (error) {
    if (error instanceof ApiError) {
      throw new Error(error.userMessage ?? t('authFailed'), { cause: error });
    }
    throw error;
  }
}

/** A former session ends first: the server would continue the account of its guest. */
async function askToken(path: string, body?: unknown): Promise<TokenResult> {
  await finishSignOut();
  return apiPost<TokenResult>(path, body);
}

async function enter({ token }: Partial<TokenResult> = {}, next: string): Promise<void> {
  if (!token) throw new Error(t('noToken'));
  // The server has ended the former session in favour of this one.
  removeItem(SIGNING_OUT_KEY);
  setAuthToken(token);
  dismissToasts();
  await pause(ENTRY_DELAY_MS);
  navigate(next, { replace: true, state: SIGNED_IN });
  await refreshUser();
}

async function deleteCacheStorage(): Promise<void> {
  if (!('caches' in window)) return;
  const names = await caches.keys();
  await Promise.all(names.map((name) => caches.delete(name)));
}
