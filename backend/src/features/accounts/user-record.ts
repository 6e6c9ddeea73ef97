import type { SignInProvider } from '../../contract/auth.ts';

/** An account as the server knows it, without its password. */
export interface UserRecord {
  id: string;
  email: string | null;
  emailVerified: boolean;
  pendingEmail: string | null;
  hasPassword: boolean;
  credentialVersion: number;
  keptSessionId: string | null;
  formerEmails: string[];
  signInProviders: SignInProvider[];
  firstName: string;
  lastName: string;
  subscriptionStatus: 'guest' | null;
}

/** An account at the version of its credentials that the caller has verified. */
export type AtVersion = Pick<UserRecord, 'id' | 'credentialVersion'>;

/** An account with its password hash. */
export interface Credentials {
  user: UserRecord;
  passwordHash: string | undefined;
}

/** The fields of a new registered account. */
export interface Registration {
  email: string;
  emailVerified: boolean;
  firstName: string;
  lastName: string;
  passwordHash?: string;
  google?: string;
  replit?: string;
}

/** Thrown when another account has the email address or the provider's subject. */
export class IdentityTakenError extends Error {
  override name = 'IdentityTakenError';
}
