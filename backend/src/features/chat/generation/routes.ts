import { Router } from 'express';
import { ReplyTailQuery, RetryReplyBody } from '../../../contract/replies.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import { presentReply } from '../messages/index.ts';
import type { ReplyService } from './service.ts';

interface RoutesDeps {
  replies: ReplyService;
  rateLimit: RateLimit;
}

export function replyRoutes({ replies, rateLimit }: RoutesDeps): Router {
  const router = Router();

  router.get(
    '/replies/:id',
    handler({ params: IdParams, query: ReplyTailQuery }, ({ user, params, query }) =>
      replies.tail(params.id, user.id, query),
    ),
  );

  router.post(
    '/replies/:id/stop',
    handler({ params: IdParams }, ({ user, params, res }) => {
      res.status(202);
      return replies.stop(params.id, user.id);
    }),
  );

  router.post(
    '/replies/:id/retry',
    rateLimit({ name: 'messages', points: 120, seconds: 60, key: byUser }),
    handler({ params: IdParams, body: RetryReplyBody }, async ({ user, params, body, res }) => {
      res.status(202);
      return presentReply(await replies.retry(params.id, user, body));
    }),
  );

  return router;
}
