import * as z from 'zod';
import { MAX_NAME_LENGTH } from '../../../contract/limits.ts';
import type { ProviderIdentity } from './identity.ts';

const text = z.string().catch('');

/** Standard claims (OpenID Connect Core 1.0, 5.1) and what Replit calls the names. */
const Claims = z.object({
  sub: z.string().min(1),
  email: z.string().nullish().catch(null),
  email_verified: z.boolean().optional().catch(undefined),
  given_name: text,
  family_name: text,
  first_name: text,
  last_name: text,
});

/** Whether all that is asked for has been said: address, whether it is verified, and some name. */
export function sayEverything(claims: unknown): boolean {
  const said = Claims.parse(claims);
  const names = [said.given_name, said.first_name, said.family_name, said.last_name];
  return Boolean(said.email) && said.email_verified !== undefined && names.some(Boolean);
}

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
    emailVerified: said.email_verified ?? false,
    firstName: nameOf(said.given_name || said.first_name),
    lastName: nameOf(said.family_name || said.last_name),
  };
}
