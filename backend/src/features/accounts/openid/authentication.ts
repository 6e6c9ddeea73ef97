import type { Request } from 'express';
import * as z from 'zod';
import type { ProviderIdentity } from './identity.ts';

/** A user after the callback from a provider. */
export interface Identified {
  identity: ProviderIdentity;
  /** When the user proved their identity there; null when the provider may have reused an older session of its own. */
  authenticatedAt: Date | null;
  /** The user was to prove the identity of the session. */
  isRepeated: boolean;
}

/** Whether the user must sign in at the provider again, to prove their identity. */
export const isRepeated = (req: Request): boolean => req.query.again === 'true';

/** Makes the provider ask for a new sign-in (OpenID Connect Core 1.0, 3.1.2.1). */
export const NEW_SIGN_IN = { prompt: 'login', max_age: '0' } as const;

const IdTokenTime = z.object({ auth_time: z.number().optional().catch(undefined) }).catch({});

/**
 * When the user of an ID token signed in at the provider. Without `auth_time`, the answer itself counts if a new sign-in was requested,
 * unless the provider always reports the time: then the request was changed on its way.
 */
export function authenticatedAt(
  idToken: unknown,
  { again, provider }: { again: boolean; provider?: { claims_supported?: string[] | undefined } },
): Date | null {
  const { auth_time: seconds } = IdTokenTime.parse(idToken);
  if (seconds !== undefined) return new Date(Math.min(seconds * 1_000, Date.now()));
  return again && !provider?.claims_supported?.includes('auth_time') ? new Date() : null;
}
