import type { Actor } from '../../../access/index.ts';
import { requireAccess } from '../../../access/index.ts';
import { MESSAGE_PAGE_BYTES } from '../../../contract/limits.ts';
import type { Message } from '../../../contract/messages.ts';
import { notFound } from '../../../errors.ts';
import { createSlots } from '../../../slots.ts';
import type { ConversationStore } from '../conversations/index.ts';
import { presentMessage } from './present.ts';
import type { MessageRecord, ReplyRecord } from './record.ts';
import type { MessageTree } from './tree-model.ts';

interface PagesDeps {
  conversations: ConversationStore;
  messages: MessageTree;
  /** A running reply with the text that has been shown so far. */
  withLiveText: (reply: ReplyRecord) => Promise<ReplyRecord>;
}

/** The last messages of a conversation's active path, or those above `before`. */
interface WantedPage {
  conversationId: string;
  before?: string | undefined;
  limit: number;
}

/** Reads conversations page by page. */
export type MessagePages = ReturnType<typeof createMessagePages>;

export function createMessagePages({ conversations, messages, withLiveText }: PagesDeps) {
  const accessible = async (actor: Actor, id: string) =>
    requireAccess(actor, await conversations.find(id), 'conversation');

  /** Where the page ends, and the deepest messages from there up. */
  const latest = async (actor: Actor, conversationId: string, limit: number) => {
    const scope = { conversationId, ownerId: actor.userId };
    const [conversation, deepest] = await Promise.all([
      accessible(actor, conversationId),
      messages.deepest(scope, { limit }),
    ]);
    return { leafId: conversation.activeLeafId, deepest };
  };

  const above = async (
    actor: Actor,
    { conversationId, before, limit }: { conversationId: string; before: string; limit: number },
  ) => {
    const scope = { conversationId, ownerId: actor.userId };
    const [, message] = await Promise.all([
      accessible(actor, conversationId),
      messages.find(before, scope),
    ]);
    if (!message) throw notFound('message');
    const deepest = await messages.deepest(scope, { limit, maxDepth: message.depth - 1 });
    return { leafId: message.parentId, deepest };
  };

  /** Reading long messages keeps the process busy: a user's pages are read one after the other, and others are served between. */
  const inTurn = createSlots(Number.POSITIVE_INFINITY);

  const present = async (record: MessageRecord, siblingIds: string[]): Promise<Message> =>
    presentMessage(record.role === 'assistant' ? await withLiveText(record) : record, siblingIds);

  const read = async (
    actor: Actor,
    { conversationId, before, limit }: WantedPage,
  ): Promise<Message[]> => {
    const { leafId, deepest } = before
      ? await above(actor, { conversationId, before, limit })
      : await latest(actor, conversationId, limit);
    if (leafId === null) return [];
    const scope = { conversationId, ownerId: actor.userId };
    // An answer has the text of a reply twice: as its content and in its parts.
    const maxBytes = MESSAGE_PAGE_BYTES / 2;
    const page = await messages.page(scope, { leafId, limit, deepest, maxBytes });
    return Promise.all(page.map(({ record, siblingIds }) => present(record, siblingIds)));
  };

  return {
    /**
     * Up to `limit` messages of the active path, oldest first, or those above `before`; fewer when they are long, but never none.
     * A running reply comes with the text shown so far. @throws AppError not_found
     */
    list: (actor: Actor, wanted: WantedPage): Promise<Message[]> =>
      inTurn(() => read(actor, wanted), { key: actor.userId }),
  };
}
