import type { SignInError } from '@stolas/backend/contract';

const FAILED = 'Signing in did not work. Please try again or use another login method.';

const SENTENCES: Record<SignInError, string> = {
  google_unavailable:
    'Google sign-in is not set up or cannot be reached. Please use another login method.',
  replit_unavailable:
    'Replit sign-in is not set up or cannot be reached. Please use another login method.',
  cancelled: 'You turned back before the sign-in was complete.',
  expired: 'This sign-in took too long, or was begun in another browser. Please try again.',
  email_unverified:
    'Your email address is not verified there. Verify it with the provider, or use another login method.',
  provider_conflict:
    'Your account is linked to another account of this provider. Sign in with that one, or with your password.',
  failed: FAILED,
};

/** What to tell a user who came back to /login with `?error=`. The parameter itself is never shown. */
export const sentenceFor = (code: string): string =>
  Object.hasOwn(SENTENCES, code) ? SENTENCES[code as SignInError] : FAILED;
