import { Router } from 'express';
import { handler, IdParams, type SessionCookie } from '../../http/index.ts';
import type { SecurityLog } from '../../security-log.ts';
import type { Limits } from './limits.ts';
import { presentSession } from './present.ts';
import type { AccountsService } from './service.ts';

interface SessionRoutesDeps {
  accounts: AccountsService;
  limits: Limits;
  cookie: SessionCookie;
  securityLog: SecurityLog;
}

/** Lists and ends the sessions of a user. */
export function sessionRoutes({
  accounts,
  limits,
  cookie,
  securityLog,
}: SessionRoutesDeps): Router {
  const router = Router();

  router.get(
    '/auth/sessions',
    limits.account,
    handler({}, async ({ actor }) => {
      const sessions = await accounts.listSessions(actor.userId);
      return sessions.map((one) => presentSession(one, actor.sessionId));
    }),
  );

  router.delete(
    '/auth/sessions',
    limits.account,
    handler({}, async ({ actor, req, res }) => {
      await accounts.endAllSessions(actor.userId);
      cookie.clear(req, res);
      securityLog.record({ event: 'all_sessions_ended', userId: actor.userId, ip: req.ip });
    }),
  );

  router.delete(
    '/auth/sessions/:id',
    limits.account,
    handler({ params: IdParams }, async ({ actor, params, req, res }) => {
      const { userId } = actor;
      await accounts.endSession({ userId, sessionId: params.id });
      if (params.id === actor.sessionId) cookie.clear(req, res);
      securityLog.record({ event: 'session_ended', userId, ip: req.ip });
    }),
  );

  return router;
}
