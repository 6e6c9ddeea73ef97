import { Router } from 'express';
import { handler } from '../../http/handler.ts';
import type { SessionCookie } from '../../http/session-token.ts';
import { IdParams } from '../../http/validate.ts';
import type { Limits } from './limits.ts';
import { presentSession } from './present.ts';
import type { AccountsService } from './service.ts';

interface SessionRoutesDeps {
  accounts: AccountsService;
  limits: Limits;
  cookie: SessionCookie;
}

/** Where a person is signed in, and the end of it. */
export function sessionRoutes({ accounts, limits, cookie }: SessionRoutesDeps): Router {
  const router = Router();

  router.get(
    '/auth/sessions',
    limits.account,
    handler({}, async ({ user, session }) => {
      const sessions = await accounts.listSessions(user.id);
      return sessions.map((one) => presentSession(one, session.id));
    }),
  );

  router.delete(
    '/auth/sessions',
    limits.account,
    handler({}, async ({ user, req, res }) => {
      await accounts.endAllSessions(user.id);
      cookie.clear(req, res);
    }),
  );

  router.delete(
    '/auth/sessions/:id',
    limits.account,
    handler({ params: IdParams }, async ({ user, params, session, req, res }) => {
      await accounts.endSession({ userId: user.id, sessionId: params.id });
      if (params.id === session.id) cookie.clear(req, res);
    }),
  );

  return router;
}
