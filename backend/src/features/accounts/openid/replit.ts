import type { Request, Response } from 'express';
import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import * as z from 'zod';
import { authenticatedAt, type Identified, isRepeated, NEW_SIGN_IN } from './authentication.ts';
import { SignInFailedError } from './failure.ts';
import type { Flow } from './flow.ts';
import { hasEveryClaim, identityOf } from './id-token-claims.ts';
import type { Provider } from './provider.ts';

export const ReplitFlow = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  again: z.boolean().default(false),
});

interface ReplitDeps {
  provider: Provider;
  flow: Flow<z.infer<typeof ReplitFlow>>;
  redirectUri: string;
}

/** Sign-in with Replit: OpenID Connect's authorization code flow with PKCE (RFC 7636), state and nonce. */
export function createReplitSignIn({ provider, flow, redirectUri }: ReplitDeps) {
  const discovered = () =>
    provider().catch((error: unknown) => {
      throw new SignInFailedError('replit_unavailable', error);
    });

  return {
    /** Sends the browser to Replit. @throws SignInFailedError */
    start: async (req: Request, res: Response): Promise<void> => {
      const config = await discovered();
      const data = {
        state: randomState(),
        nonce: randomNonce(),
        verifier: randomPKCECodeVerifier(),
        again: isRepeated(req),
      };
      await flow.begin(req, res, data);
      const address = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: data.state,
        nonce: data.nonce,
        code_challenge: await calculatePKCECodeChallenge(data.verifier),
        code_challenge_method: 'S256',
        ...(data.again && NEW_SIGN_IN),
      });
      res.redirect(address.href);
    },

    /** The identity of the user whom Replit sent back. @throws SignInFailedError */
    finish: async (req: Request, res: Response): Promise<Identified> => {
      const data = await flow.take(req, res);
      if (!data || req.query.state !== data.state) throw new SignInFailedError('expired');
      const config = await discovered();
      const query = new URL(req.originalUrl, redirectUri).search;
      const tokens = await authorizationCodeGrant(config, new URL(`${redirectUri}${query}`), {
        expectedState: data.state,
        expectedNonce: data.nonce,
        pkceCodeVerifier: data.verifier,
        idTokenExpected: true,
      }).catch(rejectCallback);
      const claims = tokens.claims();
      const at = authenticatedAt(claims, { again: data.again, provider: config.serverMetadata() });
      if (claims && hasEveryClaim(claims))
        return { identity: identityOf('replit', claims), authenticatedAt: at };
      const said = await fetchUserInfo(config, tokens.access_token, claims?.sub ?? '').catch(
        rejectCallback,
      );
      return { identity: identityOf('replit', { ...claims, ...said }), authenticatedAt: at };
    },
  };
}

function rejectCallback(error: unknown): never {
  const cancelled = error instanceof AuthorizationResponseError && error.error === 'access_denied';
  throw new SignInFailedError(cancelled ? 'cancelled' : 'failed', error);
}
