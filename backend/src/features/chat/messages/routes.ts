import { Router } from 'express';
import type { Actor } from '../../../access/index.ts';
import { EstimateRepliesBody, type ReplyEstimate } from '../../../contract/conversations.ts';
import { ListMessagesQuery, SendMessageBody } from '../../../contract/messages.ts';
import { RegenerateBody } from '../../../contract/replies.ts';
import { admission, byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import { SEND_RULE } from '../send-rule.ts';
import type { MessagePages } from './pages.ts';
import type { MessageService } from './service.ts';

interface RoutesDeps {
  messages: MessageService;
  pages: MessagePages;
  estimateReplies: (actor: Actor, body: EstimateRepliesBody) => Promise<ReplyEstimate[]>;
  rateLimit: RateLimit;
}

export function messageRoutes({ messages, pages, estimateReplies, rateLimit }: RoutesDeps): Router {
  const router = Router();

  router.get(
    '/conversations/:id/messages',
    rateLimit({ name: 'message-pages', points: 120, seconds: 60, key: byUser }),
    handler({ params: IdParams, query: ListMessagesQuery }, ({ actor, params, query }) =>
      pages.list(actor, { conversationId: params.id, ...query }),
    ),
  );

  router.post(
    '/conversations/estimate',
    rateLimit({ name: 'estimates', points: 120, seconds: 60, key: byUser }),
    handler({ body: EstimateRepliesBody }, ({ actor, body }) => estimateReplies(actor, body)),
  );

  router.post(
    '/conversations/:id/messages',
    rateLimit(SEND_RULE),
    handler({ params: IdParams, body: SendMessageBody }, ({ actor, params, body, req, res }) => {
      res.status(202);
      const admitted = admission(req);
      return messages.send(actor, { conversationId: params.id, ...body, admitted });
    }),
  );

  router.post(
    '/replies/:id/regenerate',
    rateLimit({ ...SEND_RULE, beside: false }),
    handler({ params: IdParams, body: RegenerateBody }, async ({ actor, params, body, res }) => {
      res.status(202);
      return { reply: await messages.regenerate(actor, params.id, body) };
    }),
  );

  return router;
}
