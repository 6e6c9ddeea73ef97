import { type Request, Router } from 'express';
import { GrantsBody } from '../../contract/access.ts';
import {
  CreateConversationBody,
  EstimateRepliesBody,
  ListConversationsQuery,
  SearchQuery,
  UpdateConversationBody,
} from '../../contract/conversations.ts';
import { ListMessagesQuery, SendMessageBody } from '../../contract/messages.ts';
import { RegenerateBody } from '../../contract/replies.ts';
import { admission, byUser, handler, IdParams, type RateRule } from '../../http/index.ts';
import type { WebTools } from '../define-feature.ts';
import { presentGrants } from '../record-grants.ts';
import {
  createConversation,
  deleteConversation,
  listConversations,
  markRead,
  openConversation,
  readPeople,
  replaceGrants,
  restoreConversation,
  updateConversation,
} from './conversations/index.ts';
import type { ChatFeature } from './feature.ts';
import {
  estimateReplies,
  readMessages,
  regenerateReply,
  sendFirstMessage,
  sendMessage,
} from './messages/index.ts';
import { readWhoPays } from './payer.ts';
import { searchMessages } from './search/index.ts';

/** The rate limit of sends. It is counted while the route reads. */
const SEND_RULE = {
  name: 'messages',
  points: 120,
  seconds: 60,
  key: byUser,
  beside: true,
} satisfies RateRule;

/** Conversations, their messages, and the search in them. */
export const chatRoutes = (chat: ChatFeature, tools: ChatTools): Router[] => [
  conversationRoutes(chat, tools),
  sharingRoutes(chat, tools),
  messageRoutes(chat, tools),
  searchRoutes(chat, tools),
];

type ChatTools = Pick<WebTools, 'rateLimit' | 'turn'>;

function conversationRoutes(chat: ChatFeature, { rateLimit, turn }: ChatTools): Router {
  const router = Router();
  const rule = { name: 'conversations', points: 60, seconds: 60, key: byUser };
  const changes = rateLimit(rule);

  router.get(
    '/conversations',
    handler({ query: ListConversationsQuery, turn }, ({ actor, query }) =>
      listConversations(chat, actor, query),
    ),
  );

  router.post(
    '/conversations',
    rateLimit({ ...rule, beside: true }),
    rateLimit({ ...SEND_RULE, key: (req) => (hasMessage(req) ? byUser(req) : undefined) }),
    handler({ body: CreateConversationBody, turn, status: 201 }, async ({ actor, body, req }) => {
      const { message, ...fields } = body;
      const admitted = admission(req);
      if (message) return sendFirstMessage(chat, actor, { ...fields, message, admitted });
      await admitted;
      return createConversation(chat, actor, fields);
    }),
  );

  router.patch(
    '/conversations/:id',
    changes,
    handler({ params: IdParams, body: UpdateConversationBody }, ({ actor, params, body }) =>
      updateConversation(chat, actor, { ...body, id: params.id }),
    ),
  );

  router.delete(
    '/conversations/:id',
    changes,
    handler({ params: IdParams }, ({ actor, params }) =>
      deleteConversation(chat, actor, params.id),
    ),
  );

  router.put(
    '/conversations/:id/read',
    rateLimit({ name: 'reads', points: 120, seconds: 60, key: byUser }),
    handler({ params: IdParams }, ({ actor, params }) => markRead(chat, actor, params.id)),
  );

  router.post(
    '/conversations/:id/restore',
    changes,
    handler({ params: IdParams }, ({ actor, params }) =>
      restoreConversation(chat, actor, params.id),
    ),
  );

  return router;
}

function sharingRoutes(chat: ChatFeature, { rateLimit }: ChatTools): Router {
  const router = Router();
  router.get(
    '/conversations/:id/people',
    rateLimit({ name: 'people', points: 60, seconds: 60, key: byUser }),
    handler({ params: IdParams }, ({ actor, params }) => readPeople(chat, actor, params.id)),
  );
  router.get(
    '/conversations/:id/payer',
    handler({ params: IdParams }, ({ actor, params }) => readWhoPays(chat, actor, params.id)),
  );
  router.get(
    '/conversations/:id/grants',
    handler({ params: IdParams }, async ({ actor, params: { id } }) =>
      presentGrants(chat, await openConversation(chat, actor, { id, action: 'manage' })),
    ),
  );
  router.put(
    '/conversations/:id/grants',
    rateLimit({ name: 'grants', points: 60, seconds: 60, key: byUser }),
    handler({ params: IdParams, body: GrantsBody }, ({ actor, params, body }) =>
      replaceGrants(chat, actor, { ...body, id: params.id }),
    ),
  );
  return router;
}

const hasMessage = ({ body }: Request): boolean =>
  typeof body === 'object' && body !== null && 'message' in body;

function messageRoutes(chat: ChatFeature, { rateLimit, turn }: ChatTools): Router {
  const router = Router();

  router.get(
    '/conversations/:id/messages',
    rateLimit({ name: 'message-pages', points: 120, seconds: 60, key: byUser }),
    handler({ params: IdParams, query: ListMessagesQuery, turn }, ({ actor, params, query }) =>
      readMessages(chat, actor, { conversationId: params.id, ...query }),
    ),
  );

  router.post(
    '/conversations/estimate',
    rateLimit({ name: 'estimates', points: 120, seconds: 60, key: byUser }),
    handler({ body: EstimateRepliesBody }, ({ actor, body }) => estimateReplies(chat, actor, body)),
  );

  router.post(
    '/conversations/:id/messages',
    rateLimit(SEND_RULE),
    handler(
      { params: IdParams, body: SendMessageBody, turn, status: 202 },
      ({ actor, params, body, req }) => {
        const admitted = admission(req);
        return sendMessage(chat, actor, { conversationId: params.id, ...body, admitted });
      },
    ),
  );

  router.post(
    '/replies/:id/regenerate',
    rateLimit({ ...SEND_RULE, beside: false }),
    handler(
      { params: IdParams, body: RegenerateBody, turn, status: 202 },
      async ({ actor, params, body }) => ({
        reply: await regenerateReply(chat, actor, { ...body, id: params.id }),
      }),
    ),
  );

  return router;
}

function searchRoutes(chat: ChatFeature, { rateLimit }: ChatTools): Router {
  const router = Router();
  router.get(
    '/search',
    // Results update while the user types.
    rateLimit({ name: 'search', points: 120, seconds: 60, key: byUser }),
    handler({ query: SearchQuery }, ({ actor, query }) => searchMessages(chat, actor, query)),
  );
  return router;
}
