import { Router } from 'express';
import type { Config } from '../../config.ts';
import {
  type AuthOptions,
  LoginBody,
  RegisterBody,
  type TokenResult,
  type User,
} from '../../contract/auth.ts';
import type { Redis } from '../../db/redis.ts';
import { AppError, unauthenticated } from '../../errors.ts';
import {
  createSessionCookie,
  handler,
  openHandler,
  presentedTokens,
  type RateLimit,
  type SessionCookie,
} from '../../http/index.ts';
import type { Log } from '../../log.ts';
import type { SecurityLog } from '../../security-log.ts';
import { credentialRoutes } from './credential-routes.ts';
import { createIssueSession, type IssueSession } from './issue-session.ts';
import { createLimits, type Limits } from './limits.ts';
import { openIdRoutes } from './openid/index.ts';
import { type PlanOf, presentUser } from './present.ts';
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
  securityLog: SecurityLog;
  planOf: PlanOf;
}

/** Sign-in, sign-out, and changes of the user's own account. */
export function accountsRoutes(deps: AccountsRoutesDeps): Router {
  const { accounts, config, rateLimit } = deps;
  const cookie = createSessionCookie({ PUBLIC_URL: config.PUBLIC_URL, maxAgeMs: SESSION_MS });
  const issueSession = createIssueSession({ ...deps, cookie });
  const limits = createLimits(rateLimit, { config, accounts });
  const shared = { ...deps, cookie, issueSession, limits };
  return Router().use(
    signInRoutes(shared),
    signOutRoute(shared),
    currentUserRoutes(shared),
    sessionRoutes(shared),
    credentialRoutes(shared),
    openIdRoutes({ ...deps, accountOf: accounts.accountOf, issueSession }),
  );
}

interface Shared extends AccountsRoutesDeps {
  cookie: SessionCookie;
  issueSession: IssueSession;
  limits: Limits;
}

function signInRoutes({ accounts, limits, issueSession, securityLog }: Shared): Router {
  const signInByPassword = createPasswordSignIn(accounts);
  const router = Router();

  router.post(
    '/auth/login',
    ...limits.signIn,
    openHandler({ body: LoginBody }, async ({ body, req, res }): Promise<TokenResult> => {
      req.body = body;
      const user = await signInByPassword(req, res);
      if (user) return issueSession({ req, res, method: 'password' }, user, 'Signed in.');
      const userId = await accounts.idOfEmail(body.email);
      securityLog.record({ event: 'sign_in_failed', userId, ip: req.ip, method: 'password' });
      throw new AppError('unauthenticated', 'Wrong email address or password.');
    }),
  );

  router.post(
    '/auth/register',
    ...limits.register,
    openHandler({ body: RegisterBody }, async ({ body, actor, req, res }) => {
      const from = { presentedUserId: actor?.userId };
      const user = await accounts.register(body, from).catch((error: unknown) => {
        if (error instanceof AppError)
          securityLog.record({ event: 'registration_refused', ip: req.ip, reason: error.code });
        throw error;
      });
      securityLog.record({ event: 'registered', userId: user.id, ip: req.ip });
      return issueSession({ req, res, method: 'password' }, user, REGISTERED);
    }),
  );

  router.post(
    '/auth/guest',
    limits.guest,
    openHandler({}, async ({ actor, req, res }): Promise<TokenResult> => {
      // A second start from the same browser is the same guest: neither the conversations nor the demo begin anew.
      const present = actor?.isGuest ? await accounts.find(actor.userId) : null;
      return issueSession({ req, res, method: 'guest' }, present ?? (await accounts.createGuest()));
    }),
  );

  return router;
}

const REGISTERED = 'Account created. We sent you an email to confirm your address.';

function signOutRoute({ accounts, config, cookie, securityLog }: Shared): Router {
  // Sign-out succeeds even when the session has already expired.
  return Router().post(
    '/auth/signout',
    openHandler({}, async ({ req, res }) => {
      const ended = await Promise.all(presentedTokens(req.headers, config).map(accounts.signOut));
      cookie.clear(req, res);
      for (const session of ended)
        if (session)
          securityLog.record({ event: 'signed_out', userId: session.userId, ip: req.ip });
      return { message: 'Signed out.' };
    }),
  );
}

function currentUserRoutes({ accounts, config, cookie, planOf }: Shared): Router {
  const router = Router();

  router.get(
    '/auth/user',
    handler({}, async ({ actor, req, res }): Promise<User> => {
      const [user, plan] = await Promise.all([accounts.find(actor.userId), planOf(actor)]);
      if (!user) throw unauthenticated();
      cookie.renew(req, res);
      return presentUser(user, plan);
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
