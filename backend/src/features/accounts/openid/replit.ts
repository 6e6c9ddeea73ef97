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
import { hasEveryClaim, identityOf } from './identity.ts';
import type { Provider } from './provider.ts';

export const ReplitFlow = z.object({
  nonce: z.string(),
  verifier: z.string(),
  again: z.boolean().default(false),
});

export interface ReplitSignIn {
  provider: Provider;
  flow: Flow<z.infer<typeof ReplitFlow>>;
  redirectUri: string;
}

// OpenID Connect's authorization code flow with PKCE (RFC 7636), state and nonce.

/** Sends the browser to Replit. @throws SignInFailedError */
export async function redirectToReplit(
  { provider, flow, redirectUri }: ReplitSignIn,
  req: Request,
  res: Response,
): Promise<void> {
  const config = await provider().catch(rejectUnavailable);
  const state = randomState();
  const data = {
    nonce: randomNonce(),
    verifier: randomPKCECodeVerifier(),
    again: isRepeated(req),
  };
  await flow.begin(req, res, { state, data });
  const url = buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    state,
    nonce: data.nonce,
    code_challenge: await calculatePKCECodeChallenge(data.verifier),
    code_challenge_method: 'S256',
    ...(data.again && NEW_SIGN_IN),
  });
  res.redirect(url.href);
}

/** The identity of the user whom Replit sent back. @throws SignInFailedError */
export async function finishReplit(
  { provider, flow, redirectUri }: ReplitSignIn,
  req: Request,
): Promise<Identified> {
  const state = typeof req.query.state === 'string' ? req.query.state : '';
  const data = await flow.take(req, state);
  if (!data) throw new SignInFailedError('expired');
  const config = await provider().catch(rejectUnavailable);
  const query = new URL(req.originalUrl, redirectUri).search;
  const tokens = await authorizationCodeGrant(config, new URL(`${redirectUri}${query}`), {
    expectedState: state,
    expectedNonce: data.nonce,
    pkceCodeVerifier: data.verifier,
    idTokenExpected: true,
  }).catch(rejectCallback);
  const claims = tokens.claims();
  const proof = {
    authenticatedAt: authenticatedAt(claims, {
      again: data.again,
      provider: config.serverMetadata(),
    }),
    isRepeated: data.again,
  };
  if (claims && hasEveryClaim(claims)) return { identity: identityOf('replit', claims), ...proof };
  const userInfo = await fetchUserInfo(config, tokens.access_token, claims?.sub ?? '').catch(
    rejectCallback,
  );
  return { identity: identityOf('replit', { ...claims, ...userInfo }), ...proof };
}

function rejectUnavailable(error: unknown): never {
  throw new SignInFailedError('replit_unavailable', error);
}

function rejectCallback(error: unknown): never {
  const cancelled = error instanceof AuthorizationResponseError && error.error === 'access_denied';
  throw new SignInFailedError(cancelled ? 'cancelled' : 'failed', error);
}
