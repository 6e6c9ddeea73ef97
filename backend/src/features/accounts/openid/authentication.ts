import type { Request } from 'express';
import * as z from 'zod';
import type { ProviderIdentity } from './identity.ts';

/** A user who came back from a provider. */
export interface Identified {
  identity: ProviderIdentity;
  /** When the user proved there who they are; null when the provider may have gone by an older session of its own. */
  authenticatedAt: Date | null;
}

/** Whether the user is to sign in at the provider again, to prove who they are. */
export const isRepeated = (req: Request): boolean => req.query.again === 'true';

/** Makes the provider ask for a new sign-in (OpenID Connect Core 1.0, 3.1.2.1). */
export const NEW_SIGN_IN = { prompt: 'login', max_age: '0' } as const;

const IdTokenTime = z.object({ auth_time: z.number().optional().catch(undefined) }).catch({});

/**
 * When the user of an ID token signed in at the provider. Without `auth_time` the answer itself counts if a new sign-in
 * was requested, unless the provider is one that gives the time: then the request did not reach it unchanged.
 */
export function authenticatedAt(
  idToken: unknown,
  { again, provider }: { again: boolean; provider?: { claims_supported?: string[] | undefined } },
): Date | null {
  const { auth_time: seconds } = IdTokenTime.parse(idToken);
  if (seconds !== undefined) return new Date(Math.min(seconds * 1_000, Date.now()));
  return again && !provider?.claims_supported?.includes('auth_time') ? new Date() : null;
}
