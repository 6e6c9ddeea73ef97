import { type Request, Router } from 'express';
import type { Config } from '../../config.ts';
import {
  type DemoAllowance,
  LoginBody,
  RegisterBody,
  type TokenResult,
  type User,
} from '../../contract/auth.ts';
import { AppError } from '../../errors.ts';
import { handler, openHandler } from '../../http/handler.ts';
import { byAddress, type RateLimit } from '../../http/rate-limit.ts';
import type { Principal } from '../../http/require-user.ts';
import { createSessionCookie, presentedTokens } from '../../http/session-token.ts';
import { presentUser } from './present.ts';
import type { AccountsService } from './service.ts';
import { SESSION_MS } from './sessions.ts';
import { createPasswordSignIn } from './strategies.ts';

export interface AccountsRoutesDeps {
  accounts: AccountsService;
  rateLimit: RateLimit;
  config: Pick<Config, 'PUBLIC_URL' | 'GUESTS_PER_HOUR'>;
  /** What is left of a guest's demo; asked for guests only. */
  allowanceOf: (userId: string) => Promise<DemoAllowance>;
}

const userAgentOf = (req: Request): string => req.get('user-agent') ?? '';

/** The session that a registration ends, when it is a guest who registers. */
const guestOf = (principal: Principal | null) =>
  principal?.user.subscriptionStatus === 'guest'
    ? { guest: { userId: principal.user.id, sessionId: principal.session.id } }
    : {};

export function accountsRoutes(deps: AccountsRoutesDeps): Router {
  const { accounts, config, allowanceOf } = deps;
  const limits = createLimits(deps);
  const cookie = createSessionCookie({ PUBLIC_URL: config.PUBLIC_URL, maxAgeMs: SESSION_MS });
  const signInByPassword = createPasswordSignIn(accounts);
  const router = Router();

  router.post(
    '/auth/login',
    ...limits.signIn,
    openHandler({ body: LoginBody }, async ({ body, req, res }): Promise<TokenResult> => {
      req.body = body;
      const user = await signInByPassword(req, res);
      if (!user) throw new AppError('unauthenticated', 'Wrong e-mail address or password.');
      const { token } = await accounts.signIn(user, userAgentOf(req));
      cookie.set(req, res, token);
      return { token, message: 'Signed in.' };
    }),
  );

  router.post(
    '/auth/register',
    ...limits.register,
    openHandler({ body: RegisterBody }, async ({ body, principal, req, res }) => {
      const from = { userAgent: userAgentOf(req), ...guestOf(principal) };
      const { token } = await accounts.register(body, from);
      cookie.set(req, res, token);
      return { token, message: 'Account created.' } satisfies TokenResult;
    }),
  );

  router.post(
    '/auth/guest',
    limits.guest,
    openHandler({}, async ({ req, res }): Promise<TokenResult> => {
      const { token } = await accounts.startGuest(userAgentOf(req));
      cookie.set(req, res, token);
      return { token };
    }),
  );

  // Works without a session too: who wants to be signed out is, whatever was left of the session.
  router.post(
    '/auth/signout',
    openHandler({}, async ({ req, res }) => {
      await Promise.all(presentedTokens(req.headers).map(accounts.signOut));
      cookie.clear(req, res);
      return { message: 'Signed out.' };
    }),
  );

  router.get(
    '/auth/user',
    handler({}, async ({ user }): Promise<User> => {
      const isGuest = user.subscriptionStatus === 'guest';
      return presentUser(user, isGuest ? await allowanceOf(user.id) : undefined);
    }),
  );

  return router.use(unconfiguredProviders());
}

/** Sign-in providers that this installation has no keys for say so instead of failing. */
function unconfiguredProviders(): Router {
  const router = Router();
  router.get('/login', (_req, res) => {
    const error = 'Replit sign-in is not set up here. Please use another login method.';
    res.redirect(`/login?${new URLSearchParams({ error }).toString()}`);
  });
  router.post('/auth/google', () => {
    throw new AppError(
      'not_found',
      'Google sign-in is not set up here. Please use another login method.',
    );
  });
  return router;
}

const HOUR = 3_600;

/** Guessing is bounded per address and per account; an account's count is of failures, so owners are not shut out. */
function createLimits({ rateLimit, config }: Pick<AccountsRoutesDeps, 'rateLimit' | 'config'>) {
  return {
    signIn: [
      rateLimit({ name: 'login-address', points: 60, seconds: 600, key: byAddress }),
      rateLimit({
        name: 'login-account',
        points: 10,
        seconds: 600,
        key: byAccount,
        counts: 'failures',
      }),
    ],
    register: [
      rateLimit({ name: 'register-address', points: 30, seconds: HOUR, key: byAddress }),
      rateLimit({ name: 'register-account', points: 10, seconds: HOUR, key: byAccount }),
    ],
    guest: rateLimit({
      name: 'guest-address',
      points: config.GUESTS_PER_HOUR,
      seconds: HOUR,
      key: byAddress,
    }),
  };
}

/** The address in the body, written in whichever way; the body is not validated yet. */
function byAccount(req: Request): string | undefined {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null || !('email' in body)) return undefined;
  return typeof body.email === 'string' ? body.email.toLowerCase() : undefined;
}
