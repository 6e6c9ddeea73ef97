import type { SignInProvider } from '../../../contract/auth.ts';

/** Somebody a sign-in provider vouches for. */
export interface ProviderIdentity {
  provider: SignInProvider;
  /** The provider's own id of the person; never changes. */
  subject: string;
  email: string | null;
  /** Whether the provider has verified that the address is theirs. */
  emailVerified: boolean;
  firstName: string;
  lastName: string;
}
