import { type Request, Router } from 'express';
import type * as z from 'zod';
import type { Actor } from '../../../access/index.ts';
import {
  CreateConversationBody,
  type CreatedConversation,
  ListConversationsQuery,
  UpdateConversationBody,
} from '../../../contract/conversations.ts';
import { admission, byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import { SEND_RULE } from '../send-rule.ts';
import type { ConversationDeletion } from './deletion.ts';
import type { ConversationService } from './service.ts';

/** A new conversation with its first message. */
interface NewConversation extends Omit<z.output<typeof CreateConversationBody>, 'message'> {
  message: NonNullable<z.output<typeof CreateConversationBody>['message']>;
  /** Rejects when the user has sent too much. */
  admitted: Promise<void>;
}

interface RoutesDeps {
  sendFirst: (actor: Actor, conversation: NewConversation) => Promise<CreatedConversation>;
  conversations: ConversationService;
  deletion: ConversationDeletion;
  rateLimit: RateLimit;
}

export function conversationRoutes({
  conversations,
  deletion,
  sendFirst,
  rateLimit,
}: RoutesDeps): Router {
  const router = Router();
  const rule = { name: 'conversations', points: 60, seconds: 60, key: byUser };
  const changes = rateLimit(rule);

  router.get(
    '/conversations',
    handler({ query: ListConversationsQuery }, ({ actor, query }) =>
      conversations.list(actor, query),
    ),
  );

  router.post(
    '/conversations',
    rateLimit({ ...rule, beside: true }),
    rateLimit({ ...SEND_RULE, key: (req) => (hasMessage(req) ? byUser(req) : undefined) }),
    handler({ body: CreateConversationBody }, async ({ actor, body, req, res }) => {
      res.status(201);
      const { message, ...fields } = body;
      const admitted = admission(req);
      if (message) return sendFirst(actor, { ...fields, message, admitted });
      await admitted;
      return conversations.create(actor, fields);
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

const hasMessage = ({ body }: Request): boolean =>
  typeof body === 'object' && body !== null && 'message' in body;
