import { Router } from 'express';
import { CreateConversationBody } from '../../../contract/conversations.ts';
import { SendMessageBody } from '../../../contract/messages.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import type { ConversationService } from './service.ts';

interface RoutesDeps {
  conversations: ConversationService;
  rateLimit: RateLimit;
}

export function conversationRoutes({ conversations, rateLimit }: RoutesDeps): Router {
  const router = Router();

  router.get(
    '/conversations',
    handler({}, ({ user }) => conversations.list(user.id)),
  );

  router.post(
    '/conversations',
    rateLimit({ name: 'conversations', points: 60, seconds: 60, key: byUser }),
    handler({ body: CreateConversationBody }, ({ user, body, res }) => {
      res.status(201);
      return conversations.create(user.id, body.title);
    }),
  );

  router.get(
    '/conversations/:id/messages',
    handler({ params: IdParams }, ({ user, params }) => conversations.messages(params.id, user.id)),
  );

  router.post(
    '/conversations/:id/messages',
    rateLimit({ name: 'messages', points: 120, seconds: 60, key: byUser }),
    handler({ params: IdParams, body: SendMessageBody }, ({ user, params, body, res }) => {
      res.status(202);
      return conversations.send(user, { conversationId: params.id, ...body });
    }),
  );

  return router;
}
