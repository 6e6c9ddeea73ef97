import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as z from 'zod';
import { AppError, unavailable } from '../../../errors.ts';
import { authenticatedAt, type Identified } from './authentication.ts';
import type { Flow } from './flow.ts';
import { identityOf } from './identity.ts';
import type { Provider } from './provider.ts';

/** Its state is the nonce. */
export const NonceFlow = z.object({});

/** Google's widget in the page, which gives it ID tokens. */
export interface GoogleWidget {
  provider: Provider;
  keys: JWTVerifyGetKey;
  flow: Flow<z.infer<typeof NonceFlow>>;
  clientId: string;
}

/** The keys of a provider's ID tokens; their URL is read on first use. */
export function createKeys(provider: Provider): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | undefined;
  return async (header, token) => {
    const { jwks_uri: url } = (await provider()).serverMetadata();
    if (url === undefined) throw new Error('The provider does not say where its keys are.');
    keys ??= createRemoteJWKSet(new URL(url));
    return keys(header, token);
  };
}

/** A nonce that a credential for this browser must contain; it works for one credential. */
export async function startCredential(
  { flow }: Pick<GoogleWidget, 'flow'>,
  req: Request,
  res: Response,
): Promise<string> {
  const nonce = randomBytes(32).toString('base64url');
  await flow.begin(req, res, { state: nonce, data: {} });
  return nonce;
}

/**
 * The user of a credential, which its nonce binds to this browser.
 * @throws AppError unauthenticated when it is invalid, unavailable when Google's keys cannot be read
 */
export async function identifyByCredential(
  widget: GoogleWidget,
  { req, credential }: { req: Request; credential: string },
): Promise<Identified> {
  const claims = await verify(widget, credential).catch(rejectCredential);
  if (!(await widget.flow.take(req, String(claims.nonce)))) throw notConfirmed();
  return {
    identity: identityOf('google', claims),
    authenticatedAt: authenticatedAt(claims, { again: false }),
    isRepeated: false,
  };
}

async function verify(
  { provider, keys, clientId }: GoogleWidget,
  credential: string,
): Promise<JWTPayload> {
  const { issuer } = (await provider()).serverMetadata();
  const { payload } = await jwtVerify(credential, keys, {
    // Google's tokens may leave out the scheme (Google, 'Verify the Google ID token on your server side').
    issuer: [issuer, issuer.replace(/^https:\/\//, '')],
    audience: clientId,
    algorithms: ['RS256'],
    requiredClaims: ['sub', 'exp', 'nonce'],
  });
  return payload;
}

const notConfirmed = () =>
  new AppError('unauthenticated', 'Google could not confirm who you are. Please try again.');

/** Faults of the token are the caller's; a failure to read the keys is not. */
function rejectCredential(error: unknown): never {
  const unread = error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError);
  throw unread || error.code === 'ERR_JOSE_GENERIC' ? unavailable(error) : notConfirmed();
}
