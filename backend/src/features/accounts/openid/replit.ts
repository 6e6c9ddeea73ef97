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
import { SignInFailedError } from './failure.ts';
import type { Flow } from './flow.ts';
import { hasEveryClaim, identityOf } from './id-token-claims.ts';
import type { ProviderIdentity } from './identity.ts';
import type { Provider } from './provider.ts';

export const ReplitFlow = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() });

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
      };
      await flow.begin(req, res, data);
      const address = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: data.state,
        nonce: data.nonce,
        code_challenge: await calculatePKCECodeChallenge(data.verifier),
        code_challenge_method: 'S256',
      });
      res.redirect(address.href);
    },

    /** The identity of the user whom Replit sent back. @throws SignInFailedError */
    finish: async (req: Request, res: Response): Promise<ProviderIdentity> => {
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
      if (claims && hasEveryClaim(claims)) return identityOf('replit', claims);
      const said = await fetchUserInfo(config, tokens.access_token, claims?.sub ?? '').catch(
        rejectCallback,
      );
      return identityOf('replit', { ...claims, ...said });
    },
  };
}

function rejectCallback(error: unknown): never {
  const cancelled = error instanceof AuthorizationResponseError && error.error === 'access_denied';
  throw new SignInFailedError(cancelled ? 'cancelled' : 'failed', error);
}
