import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import * as z from 'zod';
import { AppError, unavailable } from '../../../errors.ts';
import { authenticatedAt, type Identified } from './authentication.ts';
import type { Flow } from './flow.ts';
import { identityOf } from './id-token-claims.ts';
import type { Provider } from './provider.ts';

export const NonceFlow = z.object({ nonce: z.string() });

interface CredentialDeps {
  provider: Provider;
  flow: Flow<z.infer<typeof NonceFlow>>;
  clientId: string;
}

/** ID tokens that Google's widget gives to the page, bound to this browser by a nonce. */
export function createGoogleCredential({ provider, flow, clientId }: CredentialDeps) {
  let keys: ReturnType<typeof createRemoteJWKSet> | undefined;

  const verify = async (credential: string): Promise<JWTPayload> => {
    const { issuer, jwks_uri: address } = (await provider()).serverMetadata();
    if (address === undefined) throw new Error('The provider does not say where its keys are.');
    keys ??= createRemoteJWKSet(new URL(address));
    const { payload } = await jwtVerify(credential, keys, {
      // Google's tokens may leave out the scheme (Google, 'Verify the Google ID token on your server side').
      issuer: [issuer, issuer.replace(/^https:\/\//, '')],
      audience: clientId,
      algorithms: ['RS256'],
      requiredClaims: ['sub', 'exp', 'nonce'],
    });
    return payload;
  };

  return {
    /** A nonce that a credential for this browser must contain; it works for one credential. */
    start: async (req: Request, res: Response): Promise<string> => {
      const nonce = randomBytes(32).toString('base64url');
      await flow.begin(req, res, { nonce });
      return nonce;
    },

    /**
     * The user of the credential. @throws AppError unauthenticated when it is invalid, unavailable when Google's keys
     * cannot be read
     */
    identify: async (req: Request, res: Response, credential: string): Promise<Identified> => {
      const begun = await flow.take(req, res);
      if (!begun) throw notConfirmed();
      const claims = await verify(credential).catch(rejectCredential);
      if (claims.nonce !== begun.nonce) throw notConfirmed();
      return {
        identity: identityOf('google', claims),
        authenticatedAt: authenticatedAt(claims, { again: false }),
      };
    },
  };
}

const notConfirmed = () =>
  new AppError('unauthenticated', 'Google could not confirm who you are. Please try again.');

/** Faults of the token are the caller's; that the keys cannot be read is not. */
function rejectCredential(error: unknown): never {
  const unread = error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError);
  throw unread || error.code === 'ERR_JOSE_GENERIC' ? unavailable(error) : notConfirmed();
}
