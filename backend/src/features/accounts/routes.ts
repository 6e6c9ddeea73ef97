import { Router } from 'express';
import {
  type AuthOptions,
  LoginBody,
  RegisterBody,
  type TokenResult,
  type User,
} from '../../contract/auth.ts';
import { AppError } from '../../errors.ts';
import { handler, openHandler, presentedTokens, type RateLimit } from '../../http/index.ts';
import { credentialRoutes } from './credential-routes.ts';
import type { AccountsFeature } from './feature.ts';
import { issueSession } from './issue-session.ts';
import { createLimits, type Limits } from './limits.ts';
import { mailedLinkRoute } from './mailed-link-route.ts';
import { openIdRoutes } from './openid/routes.ts';
import { requireUser } from './own-calls.ts';
import { presentUser } from './present.ts';
import { registerAccount } from './register.ts';
import { sessionRoutes } from './session-routes.ts';
import { endSessionOfToken } from './sessions.ts';
import { createPasswordSignIn } from './strategies.ts';

/** Sign-in, sign-out, and changes of the user's own account. */
export function accountsRoutes(accounts: AccountsFeature, rateLimit: RateLimit): Router {
  const limits = createLimits(accounts, rateLimit);
  return Router().use(
    signInRoutes(accounts, limits),
    signOutRoute(accounts),
    currentUserRoutes(accounts),
    sessionRoutes(accounts, limits),
    credentialRoutes(accounts, limits),
    mailedLinkRoute(accounts, limits),
    openIdRoutes(accounts, rateLimit),
  );
}

const REGISTERED = 'Account created. We sent you an email to confirm your address.';

function signInRoutes(accounts: AccountsFeature, limits: Limits): Router {
  const { users, securityLog } = accounts;
  const signInByPassword = createPasswordSignIn(accounts);
  const router = Router();

  router.post(
    '/auth/login',
    ...limits.signIn,
    openHandler({ body: LoginBody }, async ({ body, req, res }): Promise<TokenResult> => {
      req.body = body;
      const user = await signInByPassword(req, res);
      if (user) {
        const signIn = { req, res, method: 'password' as const, message: 'Signed in.' };
        return issueSession(accounts, user, signIn);
      }
      const userId = (await users.findByEmail(body.email))?.id;
      securityLog.record({ event: 'sign_in_failed', userId, ip: req.ip, method: 'password' });
      throw new AppError('unauthenticated', 'Wrong email address or password.');
    }),
  );

  router.post(
    '/auth/register',
    ...limits.register,
    openHandler({ body: RegisterBody }, async ({ body, actor, req, res }) => {
      const registering = registerAccount(accounts, body, { presented: actor });
      const user = await registering.catch((error: unknown) => {
        if (error instanceof AppError)
          securityLog.record({ event: 'registration_refused', ip: req.ip, reason: error.code });
        throw error;
      });
      securityLog.record({ event: 'registered', userId: user.id, ip: req.ip });
      return issueSession(accounts, user, { req, res, method: 'password', message: REGISTERED });
    }),
  );

  router.post(
    '/auth/guest',
    limits.guest,
    openHandler({}, async ({ actor, req, res }): Promise<TokenResult> => {
      // A second start from the same browser returns the same guest, with its conversations and its used quota.
      const present = actor?.isGuest ? await users.find(actor.userId) : null;
      const guest = present ?? (await users.createGuest(accounts.now()));
      return issueSession(accounts, guest, { req, res, method: 'guest' });
    }),
  );

  return router;
}

function signOutRoute(accounts: AccountsFeature): Router {
  const { config, cookie, securityLog } = accounts;
  // Sign-out succeeds even when the session has already expired.
  return Router().post(
    '/auth/signout',
    openHandler({}, async ({ req, res }) => {
      const tokens = presentedTokens(req.headers, config);
      const ended = await Promise.all(tokens.map((one) => endSessionOfToken(accounts, one)));
      cookie.clear(req, res);
      for (const session of ended)
        if (session)
          securityLog.record({ event: 'signed_out', userId: session.userId, ip: req.ip });
      return { message: 'Signed out.' };
    }),
  );
}

function currentUserRoutes(accounts: AccountsFeature): Router {
  const { config, cookie } = accounts;
  const router = Router();

  router.get(
    '/auth/user',
    handler({}, async ({ actor, req, res }): Promise<User> => {
      const [user, plan] = await Promise.all([
        requireUser(accounts, actor),
        accounts.others.usage.readPlan(actor),
      ]);
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
