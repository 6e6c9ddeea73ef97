import * as z from 'zod';
import type { SignInProvider } from '../../../contract/auth.ts';
import { MAX_NAME_LENGTH } from '../../../contract/limits.ts';

/** A user whom a sign-in provider has identified. */
export interface ProviderIdentity {
  provider: SignInProvider;
  /** The provider's own id of the user; never changes. */
  subject: string;
  email: string | null;
  /** Whether the provider has verified the email address. */
  emailVerified: boolean;
  firstName: string;
  lastName: string;
}

const text = z.string().catch('');

/** Standard claims (OpenID Connect Core 1.0, 5.1) and Replit's names of two of them. */
const IdTokenClaims = z.object({
  sub: z.string().min(1),
  email: z.string().nullish().catch(null),
  email_verified: z.boolean().optional().catch(undefined),
  given_name: text,
  family_name: text,
  first_name: text,
  last_name: text,
});

/** Whether the claims contain all used ones: email address, its verification, and a name. */
export function hasEveryClaim(claims: unknown): boolean {
  const found = IdTokenClaims.parse(claims);
  const names = [found.given_name, found.first_name, found.family_name, found.last_name];
  return Boolean(found.email) && found.email_verified !== undefined && names.some(Boolean);
}

const nameOf = (name: string) => name.trim().slice(0, MAX_NAME_LENGTH);

/**
 * The identity in a provider's claims.
 * @throws ZodError without a subject
 */
export function identityOf(
  provider: ProviderIdentity['provider'],
  claims: unknown,
): ProviderIdentity {
  const found = IdTokenClaims.parse(claims);
  return {
    provider,
    subject: found.sub,
    email: found.email || null,
    emailVerified: found.email_verified ?? false,
    firstName: nameOf(found.given_name || found.first_name),
    lastName: nameOf(found.family_name || found.last_name),
  };
}
