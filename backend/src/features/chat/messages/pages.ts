import type { Actor } from '../../../access/index.ts';
import { MESSAGE_PAGE_BYTES } from '../../../contract/limits.ts';
import type { Message } from '../../../contract/messages.ts';
import { notFound } from '../../../errors.ts';
import { findConversation } from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import { presentMessage } from './present.ts';
import type { MessageRecord } from './record.ts';

/** The last messages of a conversation's active path, or those above `before`. */
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
  const { leafId, deepest } = before
    ? await findEndAbove(chat, actor, { conversationId, before, limit })
    : await findLastEnd(chat, actor, { conversationId, limit });
  if (leafId === null) return [];
  const scope = { conversationId, ownerId: actor.userId };
  // An answer contains the text of a reply twice: as its content and in its parts.
  const maxBytes = MESSAGE_PAGE_BYTES / 2;
  const page = await chat.messages.page(scope, { leafId, limit, deepest, maxBytes });
  return Promise.all(page.map(({ record, siblingIds }) => present(chat, record, siblingIds)));
}

/** The end of the page, and the deepest messages from there up. */
async function findLastEnd(
  chat: ChatFeature,
  actor: Actor,
  { conversationId, limit }: { conversationId: string; limit: number },
) {
  const scope = { conversationId, ownerId: actor.userId };
  const [conversation, deepest] = await Promise.all([
    findConversation(chat, actor, conversationId),
    chat.messages.deepest(scope, { limit }),
  ]);
  return { leafId: conversation.activeLeafId, deepest };
}

async function findEndAbove(
  chat: ChatFeature,
  actor: Actor,
  { conversationId, before, limit }: { conversationId: string; before: string; limit: number },
) {
  const scope = { conversationId, ownerId: actor.userId };
  const [, message] = await Promise.all([
    findConversation(chat, actor, conversationId),
    chat.messages.find(before, scope),
  ]);
  if (!message) throw notFound('message');
  const deepest = await chat.messages.deepest(scope, { limit, maxDepth: message.depth - 1 });
  return { leafId: message.parentId, deepest };
}

const present = async (
  { withLiveText }: ChatFeature,
  record: MessageRecord,
  siblingIds: string[],
): Promise<Message> =>
  presentMessage(record.role === 'assistant' ? await withLiveText(record) : record, siblingIds);
