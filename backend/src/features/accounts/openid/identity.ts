import type { SignInProvider } from '../../../contract/auth.ts';

/** A user as a sign-in provider has identified them. */
export interface ProviderIdentity {
  provider: SignInProvider;
  /** The provider's own id of the user; never changes. */
  subject: string;
  email: string | null;
  /** Whether the provider has verified that the address is theirs. */
  emailVerified: boolean;
  firstName: string;
  lastName: string;
}
