import { Router } from 'express';
import { type DepthMedians, ReplyFeedbackBody, ReplyTailQuery } from '../../../contract/replies.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import type { DepthTimes } from './depth.ts';
import type { RateReply } from './feedback.ts';
import type { ReplyService } from './service.ts';

interface RoutesDeps {
  replies: ReplyService;
  rateReply: RateReply;
  depthTimes: Pick<DepthTimes, 'medians'>;
  rateLimit: RateLimit;
}

export function replyRoutes({ replies, rateReply, depthTimes, rateLimit }: RoutesDeps): Router {
  const router = Router();

  router.get(
    '/replies/:id',
    handler({ params: IdParams, query: ReplyTailQuery }, ({ actor, params, query }) =>
      replies.tail(params.id, actor, query),
    ),
  );

  router.post(
    '/replies/:id/stop',
    handler({ params: IdParams }, ({ actor, params, res }) => {
      res.status(202);
      return replies.stop(params.id, actor);
    }),
  );

  router.post(
    '/replies/:id/continue',
    rateLimit({ name: 'messages', points: 120, seconds: 60, key: byUser }),
    handler({ params: IdParams }, ({ actor, params, res }) => {
      res.status(202);
      return replies.continue(params.id, actor);
    }),
  );

  router.put(
    '/replies/:id/feedback',
    rateLimit({ name: 'feedback', points: 60, seconds: 60, key: byUser }),
    handler({ params: IdParams, body: ReplyFeedbackBody }, ({ actor, params, body }) =>
      rateReply(actor, params.id, body),
    ),
  );

  router.get(
    '/depths',
    handler({}, async (): Promise<DepthMedians> => ({ medianMs: await depthTimes.medians() })),
  );

  return router;
}
