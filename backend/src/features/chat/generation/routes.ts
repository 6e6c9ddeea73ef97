import { Router } from 'express';
import { type DepthMedians, ReplyFeedbackBody, ReplyTailQuery } from '../../../contract/replies.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import { continueReply, rateReply, readTail, stopReply } from './control.ts';
import type { GenerationFeature } from './feature.ts';

export function replyRoutes(generation: GenerationFeature, rateLimit: RateLimit): Router {
  const router = Router();

  router.get(
    '/replies/:id',
    handler({ params: IdParams, query: ReplyTailQuery }, ({ actor, params, query }) =>
      readTail(generation, actor, { ...query, ...params }),
    ),
  );

  router.post(
    '/replies/:id/stop',
    handler({ params: IdParams, status: 202 }, ({ actor, params }) =>
      stopReply(generation, actor, params.id),
    ),
  );

  router.post(
    '/replies/:id/continue',
    rateLimit({ name: 'messages', points: 120, seconds: 60, key: byUser }),
    handler({ params: IdParams, status: 202 }, ({ actor, params }) =>
      continueReply(generation, actor, params.id),
    ),
  );

  router.put(
    '/replies/:id/feedback',
    rateLimit({ name: 'feedback', points: 60, seconds: 60, key: byUser }),
    handler({ params: IdParams, body: ReplyFeedbackBody }, ({ actor, params, body }) =>
      rateReply(generation, actor, { ...body, ...params }),
    ),
  );

  router.get(
    '/depths',
    handler(
      {},
      async (): Promise<DepthMedians> => ({ medianMs: await generation.depthTimes.medians() }),
    ),
  );

  return router;
}
