import { Router } from 'express';
import { handler, IdParams } from '../../http/index.ts';
import type { AccountsFeature } from './feature.ts';
import type { Limits } from './limits.ts';
import { presentSession } from './present.ts';
import { endAllSessions, endSession, listSessions } from './sessions.ts';

/** Lists and ends the sessions of a user. */
export function sessionRoutes(accounts: AccountsFeature, limits: Limits): Router {
  const { cookie, securityLog } = accounts;
  const router = Router();

  router.get(
    '/auth/sessions',
    limits.account,
    handler({}, async ({ actor }) => {
      const sessions = await listSessions(accounts, actor.userId);
      return sessions.map((one) => presentSession(one, actor.sessionId));
    }),
  );

  router.delete(
    '/auth/sessions',
    limits.account,
    handler({}, async ({ actor, req, res }) => {
      await endAllSessions(accounts, actor.userId);
      cookie.clear(req, res);
      securityLog.record({ event: 'all_sessions_ended', userId: actor.userId, ip: req.ip });
    }),
  );

  router.delete(
    '/auth/sessions/:id',
    limits.account,
    handler({ params: IdParams }, async ({ actor, params, req, res }) => {
      const { userId } = actor;
      await endSession(accounts, { userId, sessionId: params.id });
      if (params.id === actor.sessionId) cookie.clear(req, res);
      securityLog.record({ event: 'session_ended', userId, ip: req.ip });
    }),
  );

  return router;
}
