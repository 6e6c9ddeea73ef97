import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { decodeJwt } from 'jose';
import passportModule from 'passport';
import {
  Strategy as GoogleStrategy,
  type Profile,
  type StrategyOptions,
} from 'passport-google-oauth20';
import * as z from 'zod';
import { authenticatedAt, type Identified, isRepeated, NEW_SIGN_IN } from './authentication.ts';
import { SignInFailedError } from './failure.ts';
import type { Flow } from './flow.ts';
import { identityOf } from './id-token-claims.ts';
import type { Provider } from './provider.ts';

export const GoogleFlow = z.object({
  state: z.string(),
  verifier: z.string(),
  again: z.boolean().default(false),
});

interface GoogleRedirectDeps {
  provider: Provider;
  flow: Flow<z.infer<typeof GoogleFlow>>;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  /** For the calls to Google in a callback; the strategy itself has no timeout. */
  timeoutMs: number;
}

/** What Google has told; the strategy's own idea of a user is passed through. */
interface Told {
  userinfo: unknown;
  idToken: unknown;
  provider: { claims_supported?: string[] | undefined };
}

/** The number of parameters is what the strategy goes by. */
type Verify = (
  accessToken: string,
  refreshToken: string,
  answer: { id_token?: string },
  profile: Profile,
  done: (error: unknown, told: Told) => void,
) => void;

/** Sends access tokens in a header; in an address they would stand in logs (RFC 6750, 2.3). */
class HeaderStrategy extends GoogleStrategy {
  constructor(options: StrategyOptions, verify: Verify) {
    super(options, verify as never);
    this._oauth2.useAuthorizationHeaderforGET(true);
  }

  override authorizationParams(options: { again?: boolean }): object {
    return { ...super.authorizationParams(options), ...(options.again && NEW_SIGN_IN) };
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
    const strategy = new HeaderStrategy(options as never, (_a, _r, answer, profile, done) =>
      done(null, { userinfo: profile._json, idToken: idTokenOf(answer), provider: endpoints }),
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
      const options = { session: false, again: isRepeated(req) };
      const middleware = (await passport()).authenticate('google', options);
      await new Promise<void>((resolve, reject) => {
        res.once('close', resolve);
        middleware(req, res, reject);
      });
    },

    /** The identity of the user whom Google sent back. @throws SignInFailedError */
    finish: async (req: Request, res: Response): Promise<Identified> => {
      if (req.query.error === 'access_denied') throw new SignInFailedError('cancelled');
      // Without a code the strategy would begin again.
      if (typeof req.query.code !== 'string') throw new SignInFailedError('failed');
      const checked = await passport();
      return new Promise((resolve, reject) => {
        const settle = (error: unknown, told?: unknown, info?: unknown) => {
          if (error) reject(new SignInFailedError('failed', error));
          else if (!told) reject(new SignInFailedError('expired'));
          else resolve(identify(told as Told, info as { state: { again: boolean } }));
        };
        const timeout = AbortSignal.timeout(timeoutMs);
        timeout.addEventListener('abort', () => settle(timeout.reason));
        checked.authenticate('google', { session: false }, settle)(req, res, reject);
      });
    },
  };
}

/** The claims of the ID token; it came from Google itself, over TLS (OpenID Connect Core 1.0, 3.1.3.7, 6). */
const idTokenOf = ({ id_token: token }: { id_token?: string }) =>
  token === undefined ? undefined : decodeJwt(token);

const identify = (told: Told, { state }: { state: { again: boolean } }): Identified => ({
  identity: identityOf('google', told.userinfo),
  authenticatedAt: authenticatedAt(told.idToken, { ...told, ...state }),
});

/** Keeps state and PKCE verifier in this browser's flow; the number of parameters is what the strategy goes by. */
function createStateStore(flow: GoogleRedirectDeps['flow']) {
  type Done = (error: unknown, state?: unknown, kept?: { again: boolean }) => void;
  return {
    store: (req: Request, verifier: string, _state: unknown, _meta: unknown, done: Done): void => {
      const state = randomBytes(32).toString('base64url');
      flow
        .begin(req, responseOf(req), { state, verifier, again: isRepeated(req) })
        .then(() => done(null, state), done);
    },
    verify: (req: Request, state: string, done: Done): void => {
      flow
        .take(req, responseOf(req))
        .then(
          (data) =>
            data?.state === state
              ? done(null, data.verifier, { again: data.again })
              : done(null, false),
          done,
        );
    },
  };
}

function responseOf(req: Request): Response {
  if (!req.res) throw new Error('The request came without its response.');
  return req.res;
}
