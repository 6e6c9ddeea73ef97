import { t } from 'virtual:texts/auth';
import type { SignInError } from '@stolas/backend/contract';

const SENTENCES = {
  google_unavailable: 'noGoogle',
  replit_unavailable: 'noReplit',
  cancelled: 'cancelled',
  expired: 'expired',
  email_unverified: 'unverified',
  provider_conflict: 'conflict',
  failed: 'failed',
} as const satisfies Record<SignInError, string>;

/** The text for a user who returned to /login with `?error=`. The parameter itself is never shown. */
export const sentenceFor = (code: string): string =>
  t(Object.hasOwn(SENTENCES, code) ? SENTENCES[code as SignInError] : 'failed');
