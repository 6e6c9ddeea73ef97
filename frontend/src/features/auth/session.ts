import type {
  GoogleBody,
  LoginBody,
  RegisterBody,
  ResetPasswordBody,
  TokenResult,
} from '@stolas/backend/contract';
import { navigate } from 'wouter/use-browser-location';
import { ApiError, apiPost } from '../../lib/api.ts';
import { removeAuthToken, setAuthToken } from '../../lib/auth-token.ts';
import { goTo } from '../../lib/location.ts';
import { refreshUser } from '../../lib/query-client.ts';

// Section 4: the browser moves on about 100 ms after the token is stored.
const ENTRY_DELAY_MS = 100;

/** Where a person who went to a provider wanted to go. */
const NEXT_KEY = 'signInNext';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Signs in and goes to `next`. @throws Error whose message is for people · TypeError without a network */
export const signIn = (body: LoginBody, next: string): Promise<void> =>
  authenticate('/api/auth/login', body, next);

/** Registers (a guest keeps the conversations) and goes to `next`. Throws as `signIn` does. */
export const register = (body: RegisterBody, next: string): Promise<void> =>
  authenticate('/api/auth/register', body, next);

/** Signs in with what Google's widget gave. Throws as `signIn` does. */
export const signInWithCredential = (body: GoogleBody, next: string): Promise<void> =>
  authenticate('/api/auth/google', body, next);

/** Goes to a provider's own page; `next` is kept in this tab until the return. */
export function leaveFor(path: '/api/login' | '/api/auth/google', next: string): void {
  try {
    sessionStorage.setItem(NEXT_KEY, next);
  } catch {
    // Then the person comes back to the plans, as everybody does.
  }
  goTo(path);
}

/** Ends a sign-in by redirect: the provider has vouched for the person, this fetches the token. Throws as `signIn` does. */
export const completeSignIn = (): Promise<void> =>
  authenticate('/api/auth/complete', undefined, nextAfterReturn());

function nextAfterReturn(): string {
  try {
    return sessionStorage.getItem(NEXT_KEY) ?? '/subscription';
  } catch {
    return '/subscription';
  }
}

/** Sets a new password by a mailed link and signs in. @throws ApiError · TypeError without a network */
export async function resetPassword(body: ResetPasswordBody): Promise<void> {
  await enter(await apiPost<TokenResult>('/api/auth/password/reset', body), '/subscription');
}

/** Starts the demo and opens the chat. Throws when the server refuses or is not there. */
export async function startGuest(): Promise<void> {
  await enter(await apiPost<TokenResult>('/api/auth/guest'), '/');
}

/** Ends the session on the server, and here whatever the server says. Loads /login. */
export async function signOut(): Promise<void> {
  await apiPost('/api/auth/signout').catch(() => undefined);
  await endSession();
}

/** Forgets the session in this browser and loads /login; for a session the server has ended. */
export async function endSession(): Promise<void> {
  removeAuthToken();
  await deleteCacheStorage().catch(() => undefined);
  goTo('/login');
}

async function authenticate(path: string, body: unknown, next: string): Promise<void> {
  try {
    await enter(await apiPost<TokenResult>(path, body), next);
  } catch (error) {
    if (error instanceof ApiError) {
      throw new Error(error.userMessage ?? 'Authentication failed', { cause: error });
    }
    throw error;
  }
}

async function enter({ token }: Partial<TokenResult> = {}, next: string): Promise<void> {
  if (!token) throw new Error('No token received from server');
  setAuthToken(token);
  await pause(ENTRY_DELAY_MS);
  navigate(next, { replace: true });
  await refreshUser();
}

async function deleteCacheStorage(): Promise<void> {
  if (!('caches' in window)) return;
  const names = await caches.keys();
  await Promise.all(names.map((name) => caches.delete(name)));
}
