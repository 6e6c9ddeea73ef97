import { Router } from 'express';
import { ReplyTailQuery } from '../../../contract/replies.ts';
import { handler, IdParams } from '../../../http/index.ts';
import type { ReplyService } from './service.ts';

interface RoutesDeps {
  replies: ReplyService;
}

export function replyRoutes({ replies }: RoutesDeps): Router {
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

  return router;
}
