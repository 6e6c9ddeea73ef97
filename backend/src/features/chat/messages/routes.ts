import { type Request, type RequestHandler, Router } from 'express';
import { ListMessagesQuery, SendMessageBody } from '../../../contract/messages.ts';
import { admission, byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import type { MessagePages } from './pages.ts';
import type { MessageService } from './service.ts';

interface RoutesDeps {
  messages: MessageService;
  pages: MessagePages;
  rateLimit: RateLimit;
}

const sends = { name: 'messages', points: 120, seconds: 60, key: byUser };

/** Counts those calls that send a message, beside their route. */
export const sendCounter =
  (rateLimit: RateLimit) =>
  (isSend: (req: Request) => boolean = () => true): RequestHandler =>
    rateLimit({ ...sends, beside: true, key: (req) => (isSend(req) ? byUser(req) : undefined) });

export function messageRoutes({ messages, pages, rateLimit }: RoutesDeps): Router {
  const router = Router();

  router.get(
    '/conversations/:id/messages',
    handler({ params: IdParams, query: ListMessagesQuery }, ({ actor, params, query }) =>
      pages.list(actor, { conversationId: params.id, ...query }),
    ),
  );

  router.post(
    '/conversations/:id/messages',
    sendCounter(rateLimit)(),
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
