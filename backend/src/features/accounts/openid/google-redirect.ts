import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import passportModule from 'passport';
import {
  Strategy as GoogleStrategy,
  type Profile,
  type StrategyOptions,
  type VerifyCallback,
} from 'passport-google-oauth20';
import * as z from 'zod';
import { SignInFailedError } from './failure.ts';
import type { Flow } from './flow.ts';
import { identityOf } from './id-token-claims.ts';
import type { ProviderIdentity } from './identity.ts';
import type { Provider } from './provider.ts';

export const GoogleFlow = z.object({ state: z.string(), verifier: z.string() });

interface GoogleRedirectDeps {
  provider: Provider;
  flow: Flow<z.infer<typeof GoogleFlow>>;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  /** For the calls to Google in a callback; the strategy itself has no timeout. */
  timeoutMs: number;
}

type Verify = (
  accessToken: string,
  refreshToken: string,
  profile: Profile,
  done: VerifyCallback,
) => void;

/** Sends access tokens in a header; in an address they would stand in logs (RFC 6750, 2.3). */
class HeaderStrategy extends GoogleStrategy {
  constructor(options: StrategyOptions, verify: Verify) {
    super(options, verify);
    this._oauth2.useAuthorizationHeaderforGET(true);
  }
}

type Passport = InstanceType<typeof passportModule.Passport>;

/** Sign-in with Google by redirect, for browsers that block the widget. */
export function createGoogleRedirect(deps: GoogleRedirectDeps) {
  const { provider, redirectUri, clientId, clientSecret, timeoutMs } = deps;
  const store = createStateStore(deps.flow);
  let ready: Promise<Passport> | undefined;

  const prepare = async (): Promise<Passport> => {
    const endpoints = (await provider()).serverMetadata();
    const passport = new passportModule.Passport();
    const options = {
      clientID: clientId,
      clientSecret,
      callbackURL: redirectUri,
      authorizationURL: endpoints.authorization_endpoint,
      tokenURL: endpoints.token_endpoint,
      userProfileURL: endpoints.userinfo_endpoint,
      scope: ['openid', 'email', 'profile'],
      pkce: true,
      store,
    };
    const strategy = new HeaderStrategy(options as never, (_access, _refresh, profile, done) =>
      done(null, identityOf('google', profile._json)),
    );
    return passport.use(strategy);
  };

  const passport = () => {
    ready ??= prepare().catch((error: unknown) => {
      ready = undefined;
      throw new SignInFailedError('google_unavailable', error);
    });
    return ready;
  };

  return {
    /** Sends the browser to Google. @throws SignInFailedError */
    start: async (req: Request, res: Response): Promise<void> => {
      const middleware = (await passport()).authenticate('google', { session: false });
      await new Promise<void>((resolve, reject) => {
        res.once('close', resolve);
        middleware(req, res, reject);
      });
    },

    /** The identity of the user whom Google sent back. @throws SignInFailedError */
    finish: async (req: Request, res: Response): Promise<ProviderIdentity> => {
      if (req.query.error === 'access_denied') throw new SignInFailedError('cancelled');
      // Without a code the strategy would begin again.
      if (typeof req.query.code !== 'string') throw new SignInFailedError('failed');
      const checked = await passport();
      return new Promise((resolve, reject) => {
        const settle = (error: unknown, identity?: unknown) => {
          if (error) reject(new SignInFailedError('failed', error));
          else if (!identity) reject(new SignInFailedError('expired'));
          else resolve(identity as ProviderIdentity);
        };
        const timeout = AbortSignal.timeout(timeoutMs);
        timeout.addEventListener('abort', () => settle(timeout.reason));
        checked.authenticate('google', { session: false }, settle)(req, res, reject);
      });
    },
  };
}

/** Keeps state and PKCE verifier in this browser's flow; the number of parameters is what the strategy goes by. */
function createStateStore(flow: GoogleRedirectDeps['flow']) {
  type Done = (error: unknown, state?: unknown) => void;
  return {
    store: (req: Request, verifier: string, _state: unknown, _meta: unknown, done: Done): void => {
      const state = randomBytes(32).toString('base64url');
      flow.begin(req, responseOf(req), { state, verifier }).then(() => done(null, state), done);
    },
    verify: (req: Request, state: string, done: Done): void => {
      flow
        .take(req, responseOf(req))
        .then((data) => done(null, data !== null && data.state === state && data.verifier), done);
    },
  };
}

function responseOf(req: Request): Response {
  if (!req.res) throw new Error('The request came without its response.');
  return req.res;
}
