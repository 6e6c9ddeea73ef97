import { Router } from 'express';
import type { Config } from '../../config.ts';
import {
  type AuthOptions,
  type DemoAllowance,
  LoginBody,
  RegisterBody,
  type TokenResult,
  type User,
} from '../../contract/auth.ts';
import type { Redis } from '../../db/redis.ts';
import { AppError, unauthenticated } from '../../errors.ts';
import { handler, openHandler } from '../../http/handler.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import { createSessionCookie, presentedTokens } from '../../http/session-token.ts';
import type { Log } from '../../log.ts';
import { credentialRoutes } from './credential-routes.ts';
import { createEntrance } from './entrance.ts';
import { guestOf } from './guest.ts';
import { createLimits } from './limits.ts';
import { openIdRoutes } from './openid/index.ts';
import { presentUser } from './present.ts';
import type { AccountsService } from './service.ts';
import { sessionRoutes } from './session-routes.ts';
import { SESSION_MS } from './sessions.ts';
import { createPasswordSignIn } from './strategies.ts';

export interface AccountsRoutesDeps {
  accounts: AccountsService;
  rateLimit: RateLimit;
  config: Config;
  redis: Redis;
  log: Log;
  /** What is left of a guest's demo; asked for guests only. */
  allowanceOf: (userId: string) => Promise<DemoAllowance>;
}

/** Every way in and out, and what people change about their own account (specification section 7). */
export function accountsRoutes(deps: AccountsRoutesDeps): Router {
  const { accounts, config, rateLimit } = deps;
  const cookie = createSessionCookie({ PUBLIC_URL: config.PUBLIC_URL, maxAgeMs: SESSION_MS });
  const enter = createEntrance(accounts, cookie);
  const shared = { ...deps, cookie, enter, limits: createLimits(rateLimit, config) };
  const enterById = async (call: Parameters<typeof enter>[0], userId: string) => {
    const user = await accounts.find(userId);
    if (!user) throw unauthenticated();
    return enter(call, user, 'Signed in.');
  };
  return Router().use(
    entryRoutes(shared),
    currentUserRoutes(shared),
    sessionRoutes(shared),
    credentialRoutes(shared),
    openIdRoutes({ ...deps, accountOf: accounts.accountOf, enter: enterById }),
  );
}

interface Shared extends AccountsRoutesDeps {
  cookie: ReturnType<typeof createSessionCookie>;
  enter: ReturnType<typeof createEntrance>;
  limits: ReturnType<typeof createLimits>;
}

function entryRoutes({ accounts, config, limits, cookie, enter }: Shared): Router {
  const signInByPassword = createPasswordSignIn(accounts);
  const router = Router();

  router.post(
    '/auth/login',
    ...limits.signIn,
    openHandler({ body: LoginBody }, async ({ body, req, res }): Promise<TokenResult> => {
      req.body = body;
      const user = await signInByPassword(req, res);
      if (!user) throw new AppError('unauthenticated', 'Wrong e-mail address or password.');
      return enter({ req, res }, user, 'Signed in.');
    }),
  );

  router.post(
    '/auth/register',
    ...limits.register,
    openHandler({ body: RegisterBody }, async ({ body, principal, req, res }) => {
      const user = await accounts.register(body, guestOf(principal));
      return enter({ req, res }, user, 'Account created.');
    }),
  );

  router.post(
    '/auth/guest',
    limits.guest,
    openHandler({}, async ({ req, res }): Promise<TokenResult> => {
      return enter({ req, res }, await accounts.createGuest());
    }),
  );

  // Works without a session too: who wants to be signed out is, whatever was left of the session.
  router.post(
    '/auth/signout',
    openHandler({}, async ({ req, res }) => {
      await Promise.all(presentedTokens(req.headers, config).map(accounts.signOut));
      cookie.clear(req, res);
      return { message: 'Signed out.' };
    }),
  );

  return router;
}

function currentUserRoutes({ accounts, config, cookie, allowanceOf }: Shared): Router {
  const router = Router();

  router.get(
    '/auth/user',
    handler({}, async ({ user, req, res }): Promise<User> => {
      const account = await accounts.find(user.id);
      if (!account) throw unauthenticated();
      cookie.renew(req, res);
      const isGuest = user.subscriptionStatus === 'guest';
      return presentUser(account, isGuest ? await allowanceOf(user.id) : undefined);
    }),
  );

  const options: AuthOptions = {
    testPage: config.TEST_PAGE ?? config.NODE_ENV !== 'production',
  };
  router.get('/auth/options', (_req, res) => {
    res.json(options);
  });

  return router;
}
