import type { Actor } from '../../../access/index.ts';
import { MESSAGE_PAGE_BYTES } from '../../../contract/limits.ts';
import type { Message } from '../../../contract/messages.ts';
import { notFound } from '../../../errors.ts';
import { openConversation, seenConversation } from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import { authorsOf, presentMessage, seenBy } from './present.ts';
import type { MessageRecord } from './record.ts';

/** The last messages of the path that the reader sees, or those above `before`. */
interface WantedPage {
  conversationId: string;
  before?: string | undefined;
  limit: number;
}

/**
 * Up to `limit` messages of the active path, oldest first, or those above `before`; fewer when they are long, but never none.
 * A running reply comes with the text shown so far. @throws AppError not_found
 */
export const readMessages = (
  chat: ChatFeature,
  actor: Actor,
  wanted: WantedPage,
): Promise<Message[]> => chat.pageSlots(() => readPage(chat, actor, wanted), { key: actor.userId });

async function readPage(
  chat: ChatFeature,
  actor: Actor,
  { conversationId, before, limit }: WantedPage,
): Promise<Message[]> {
  const { conversation, leafId, deepest } = before
    ? await findEndAbove(chat, actor, { conversationId, before, limit })
    : await findLastEnd(chat, actor, { conversationId, limit });
  if (leafId === null) return [];
  const scope = { conversationId, ownerId: conversation.ownerId };
  // An answer contains the text of a reply twice: as its content and in its parts.
  const maxBytes = MESSAGE_PAGE_BYTES / 2;
  const page = await chat.messages.page(scope, { leafId, limit, deepest, maxBytes });
  const records = page.map(({ record }) => record);
  const authors = await authorsOf(chat, conversation, records);
  return Promise.all(
    page.map(async ({ record, siblingIds }) => {
      const live = await withText(chat, record);
      const presented = presentMessage(live, { siblingIds, ...authors(live) });
      return seenBy(actor.userId, live, presented);
    }),
  );
}

/** The end of the page, and the deepest messages from there up, which are read before access is decided. */
async function findLastEnd(
  chat: ChatFeature,
  actor: Actor,
  { conversationId, limit }: { conversationId: string; limit: number },
) {
  const [conversation, deepest] = await Promise.all([
    openConversation(chat, actor, { id: conversationId, action: 'read' }).then((opened) =>
      seenConversation(chat, actor, opened),
    ),
    chat.messages.deepest({ conversationId }, { limit }),
  ]);
  return { conversation, leafId: conversation.activeLeafId, deepest };
}

async function findEndAbove(
  chat: ChatFeature,
  actor: Actor,
  { conversationId, before, limit }: { conversationId: string; before: string; limit: number },
) {
  const conversation = await openConversation(chat, actor, { id: conversationId, action: 'read' });
  const scope = { conversationId, ownerId: conversation.ownerId };
  const message = await chat.messages.find(before, scope);
  if (!message) throw notFound('message');
  const deepest = await chat.messages.deepest(scope, { limit, maxDepth: message.depth - 1 });
  return { conversation, leafId: message.parentId, deepest };
}

const withText = async (
  { withLiveText }: ChatFeature,
  record: MessageRecord,
): Promise<MessageRecord> => (record.role === 'assistant' ? withLiveText(record) : record);
