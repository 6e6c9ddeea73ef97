import * as z from 'zod';
import type { ProviderIdentity } from './identity.ts';

const text = z.string().catch('');

/** Standard claims (OpenID Connect Core 1.0, 5.1) and what Replit calls the names. */
const Claims = z.object({
  sub: z.string().min(1),
  email: z.string().nullish().catch(null),
  email_verified: z.boolean().catch(false),
  given_name: text,
  family_name: text,
  first_name: text,
  last_name: text,
});

const MAX_NAME_LENGTH = 80;
const nameOf = (name: string) => name.trim().slice(0, MAX_NAME_LENGTH);

/** What a provider has said of somebody, as the product understands it. @throws ZodError without a subject */
export function identityOf(
  provider: ProviderIdentity['provider'],
  claims: unknown,
): ProviderIdentity {
  const said = Claims.parse(claims);
  return {
    provider,
    subject: said.sub,
    email: said.email || null,
    emailVerified: said.email_verified,
    firstName: nameOf(said.given_name || said.first_name),
    lastName: nameOf(said.family_name || said.last_name),
  };
}
