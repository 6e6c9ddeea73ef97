import { Router } from 'express';
import {
  CreateConversationBody,
  ListConversationsQuery,
  UpdateConversationBody,
} from '../../../contract/conversations.ts';
import { byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import type { ConversationDeletion } from './deletion.ts';
import type { ConversationService } from './service.ts';

interface RoutesDeps {
  conversations: ConversationService;
  deletion: ConversationDeletion;
  rateLimit: RateLimit;
}

export function conversationRoutes({ conversations, deletion, rateLimit }: RoutesDeps): Router {
  const router = Router();
  const changes = rateLimit({ name: 'conversations', points: 60, seconds: 60, key: byUser });

  router.get(
    '/conversations',
    handler({ query: ListConversationsQuery }, ({ actor, query }) =>
      conversations.list(actor, query),
    ),
  );

  router.post(
    '/conversations',
    changes,
    handler({ body: CreateConversationBody }, ({ actor, body, res }) => {
      res.status(201);
      return conversations.create(actor, body);
    }),
  );

  router.patch(
    '/conversations/:id',
    changes,
    handler({ params: IdParams, body: UpdateConversationBody }, ({ actor, params, body }) =>
      conversations.update(actor, params.id, body),
    ),
  );

  router.delete(
    '/conversations/:id',
    changes,
    handler({ params: IdParams }, ({ actor, params }) => deletion.remove(actor, params.id)),
  );

  router.post(
    '/conversations/:id/restore',
    changes,
    handler({ params: IdParams }, ({ actor, params }) => deletion.restore(actor, params.id)),
  );

  return router;
}
