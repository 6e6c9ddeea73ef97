import type { SignInProvider } from '@stolas/backend/contract';
import { redirectToProvider } from './session.ts';

/** Signs in anew with a provider and comes back to `next`: reauthentication for accounts without a password. */
export async function signInAgain(provider: SignInProvider, next: string): Promise<void> {
  if (provider === 'replit') redirectToProvider('/api/login', next, { again: true });
  else await (await import('./google.ts')).signInWithGoogleAgain(next);
}
