import { Router } from 'express';
import { ListMessagesQuery, SendMessageBody } from '../../../contract/messages.ts';
import { admission, byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import type { MessagePages } from './pages.ts';
import type { MessageService } from './service.ts';

interface RoutesDeps {
  messages: MessageService;
  pages: MessagePages;
  rateLimit: RateLimit;
}

export function messageRoutes({ messages, pages, rateLimit }: RoutesDeps): Router {
  const router = Router();
  const sends = { name: 'messages', points: 120, seconds: 60, key: byUser };

  router.get(
    '/conversations/:id/messages',
    handler({ params: IdParams, query: ListMessagesQuery }, ({ actor, params, query }) =>
      pages.list(actor, { conversationId: params.id, ...query }),
    ),
  );

  router.post(
    '/conversations/:id/messages',
    rateLimit({ ...sends, beside: true }),
    handler({ params: IdParams, body: SendMessageBody }, ({ actor, params, body, req, res }) => {
      res.status(202);
      const admitted = admission(req);
      return messages.send(actor, { conversationId: params.id, ...body, admitted });
    }),
  );

  router.post(
    '/replies/:id/regenerate',
    rateLimit(sends),
    handler({ params: IdParams }, async ({ actor, params, res }) => {
      res.status(202);
      return { reply: await messages.regenerate(actor, params.id) };
    }),
  );

  return router;
}
