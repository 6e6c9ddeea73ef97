import { type Request, type RequestHandler, Router } from 'express';
import type * as z from 'zod';
import type { Actor } from '../../../access/index.ts';
import {
  CreateConversationBody,
  type CreatedConversation,
  ListConversationsQuery,
  UpdateConversationBody,
} from '../../../contract/conversations.ts';
import { admission, byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import type { ConversationService } from './service.ts';

interface RoutesDeps {
  conversations: ConversationService;
  /** Creates a conversation with its first message. */
  begin: (
    actor: Actor,
    fields: BodyWithMessage & { admitted: Promise<void> },
  ) => Promise<CreatedConversation>;
  /** Counts the sends among the calls, beside the route. */
  countSends: (isSend: (req: Request) => boolean) => RequestHandler;
  rateLimit: RateLimit;
}

type Body = z.output<typeof CreateConversationBody>;
type BodyWithMessage = Omit<Body, 'message'> & { message: NonNullable<Body['message']> };

export function conversationRoutes({
  conversations,
  begin,
  countSends,
  rateLimit,
}: RoutesDeps): Router {
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
    countSends(({ body }) => Boolean(body?.message)),
    handler({ body: CreateConversationBody }, ({ actor, body, req, res }) => {
      res.status(201);
      const { message, ...fields } = body;
      if (!message) return conversations.create(actor, fields);
      return begin(actor, { ...fields, message, admitted: admission(req) });
    }),
  );

  router.patch(
    '/conversations/:id',
    changes,
    handler({ params: IdParams, body: UpdateConversationBody }, ({ actor, params, body }) =>
      conversations.update(actor, params.id, body),
    ),
  );

  return router;
}
