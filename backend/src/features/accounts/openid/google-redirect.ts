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
import { identityOf } from './identity.ts';
import type { Provider } from './provider.ts';

export const GoogleFlow = z.object({
  verifier: z.string(),
  again: z.boolean().default(false),
});

interface GoogleSettings {
  provider: Provider;
  flow: Flow<z.infer<typeof GoogleFlow>>;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

/** Google's answer, which passport passes through as the user. */
interface GoogleAnswer {
  userinfo: unknown;
  idToken: unknown;
  provider: { claims_supported?: string[] | undefined };
}

/** The strategy selects its form by its number of parameters. */
type Verify = (
  accessToken: string,
  refreshToken: string,
  tokens: { id_token?: string },
  profile: Profile,
  done: (error: unknown, answer: GoogleAnswer) => void,
) => void;

/** Sends access tokens in a header; URLs would put them into logs (RFC 6750, 2.3). */
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
export interface GoogleSignIn {
  passport: () => Promise<Passport>;
  /** For the calls to Google in a callback; the strategy itself has no timeout. */
  timeoutMs: number;
}

/** Passport with Google's strategy, made on first use because its URLs come from discovery. */
export function createGooglePassport(settings: GoogleSettings): GoogleSignIn['passport'] {
  let ready: Promise<Passport> | undefined;
  return () => {
    ready ??= preparePassport(settings).catch((error: unknown) => {
      ready = undefined;
      throw new SignInFailedError('google_unavailable', error);
    });
    return ready;
  };
}

async function preparePassport(settings: GoogleSettings): Promise<Passport> {
  const endpoints = (await settings.provider()).serverMetadata();
  const passport = new passportModule.Passport();
  const options = {
    clientID: settings.clientId,
    clientSecret: settings.clientSecret,
    callbackURL: settings.redirectUri,
    authorizationURL: endpoints.authorization_endpoint,
    tokenURL: endpoints.token_endpoint,
    userProfileURL: endpoints.userinfo_endpoint,
    scope: ['openid', 'email', 'profile'],
    pkce: true,
    store: createStateStore(settings.flow),
  };
  const strategy = new HeaderStrategy(options as never, (_a, _r, tokens, profile, done) =>
    done(null, { userinfo: profile._json, idToken: idTokenOf(tokens), provider: endpoints }),
  );
  return passport.use(strategy);
}

/** Sends the browser to Google. @throws SignInFailedError */
export async function redirectToGoogle(
  { passport }: GoogleSignIn,
  req: Request,
  res: Response,
): Promise<void> {
  const options = { session: false, again: isRepeated(req) };
  const middleware = (await passport()).authenticate('google', options);
  await new Promise<void>((resolve, reject) => {
    res.once('close', resolve);
    middleware(req, res, reject);
  });
}

/** The identity of the user whom Google sent back. @throws SignInFailedError */
export async function finishGoogle(
  { passport, timeoutMs }: GoogleSignIn,
  req: Request,
  res: Response,
): Promise<Identified> {
  if (req.query.error === 'access_denied') throw new SignInFailedError('cancelled');
  // Without a code the strategy would start again.
  if (typeof req.query.code !== 'string') throw new SignInFailedError('failed');
  const checked = await passport();
  return new Promise((resolve, reject) => {
    const settle = (error: unknown, answer?: unknown, info?: unknown) => {
      if (error) reject(new SignInFailedError('failed', error));
      else if (!answer) reject(new SignInFailedError('expired'));
      else resolve(identify(answer as GoogleAnswer, info as { state: { again: boolean } }));
    };
    const timeout = AbortSignal.timeout(timeoutMs);
    timeout.addEventListener('abort', () => settle(timeout.reason));
    checked.authenticate('google', { session: false }, settle)(req, res, reject);
  });
}

/** The claims of the ID token; it came from Google itself, over TLS (OpenID Connect Core 1.0, 3.1.3.7, 6). */
const idTokenOf = ({ id_token: token }: { id_token?: string }) =>
  token === undefined ? undefined : decodeJwt(token);

const identify = (
  { userinfo, idToken, provider }: GoogleAnswer,
  { state: { again } }: { state: { again: boolean } },
): Identified => ({
  identity: identityOf('google', userinfo),
  authenticatedAt: authenticatedAt(idToken, { provider, again }),
  isRepeated: again,
});

/** Keeps state and PKCE verifier in this browser's flow; the strategy selects its form by its number of parameters. */
function createStateStore(flow: GoogleSettings['flow']) {
  type Done = (error: unknown, state?: unknown, kept?: { again: boolean }) => void;
  return {
    store: (req: Request, verifier: string, _state: unknown, _meta: unknown, done: Done): void => {
      const state = randomBytes(32).toString('base64url');
      const data = { verifier, again: isRepeated(req) };
      flow.begin(req, responseOf(req), { state, data }).then(() => done(null, state), done);
    },
    verify: (req: Request, state: string, done: Done): void => {
      flow
        .take(req, state)
        .then(
          (data) => (data ? done(null, data.verifier, { again: data.again }) : done(null, false)),
          done,
        );
    },
  };
}

function responseOf(req: Request): Response {
  if (!req.res) throw new Error('The request came without its response.');
  return req.res;
}
