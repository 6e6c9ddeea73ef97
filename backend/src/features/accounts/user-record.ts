import type { User } from '../../contract/auth.ts';

/** The plan of an account as clients see it; `demo` for guests only, `usage` for subscribers only, `hasPool` for users without a plan. */
export type PlanView = Pick<
  User,
  'subscriptionStatus' | 'subscriptionPlan' | 'demo' | 'usage' | 'hasPool'
>;

/** An account as the server knows it, without its password. */
export interface UserRecord extends Omit<User, keyof PlanView> {
  credentialVersion: number;
  keptSessionId: string | null;
  formerEmails: string[];
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
