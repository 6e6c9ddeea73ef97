import type { Migration } from '../../../db/migrate.ts';
import { type Connection, isMissingIndex, type ObjectId } from '../../../db/mongo.ts';

/** What a message was before conversations were trees: in order of `createdAt`, then `_id`. */
interface FormerMessage {
  _id: ObjectId;
  conversationId: ObjectId;
  ownerId: ObjectId;
  role: 'user' | 'assistant';
  content?: string;
  createdAt: Date;
  clientMessageId?: string;
  /** Of a reply: its user message. */
  parentId?: ObjectId;
  /** The user message, until an attempt had seen that it was stored. */
  outbox?: { content?: string; createdAt?: Date };
}

interface FormerConversation {
  _id: ObjectId;
  activeLeafId?: ObjectId;
}

interface Place {
  _id: ObjectId;
  depth: number;
  pathLength: number;
  parentId?: ObjectId;
}

const CONVERSATIONS = 100;
const UPDATES = 500;
const FORMER_INDEX = 'conversationId_1_createdAt_1__id_1';

/**
 * Every message gets its place in the tree, every conversation its active leaf: one branch, in the order that was shown
 * before. A conversation is done once it has an active leaf, which is stored last; doing one again changes nothing.
 */
export const messageTreeMigration: Migration = {
  id: '0001-message-tree',
  run: async (connection) => {
    const conversations = connection.collection<FormerConversation>('conversations');
    for (let last: ObjectId | undefined; ; ) {
      const batch = await conversations
        .find({
          activeLeafId: { $exists: false },
          ...(last !== undefined && { _id: { $gt: last } }),
        })
        .project<{ _id: ObjectId }>({ _id: 1 })
        .sort({ _id: 1 })
        .limit(CONVERSATIONS)
        .toArray();
      for (const { _id } of batch) await placeMessages(connection, _id);
      last = batch.at(-1)?._id;
      if (batch.length < CONVERSATIONS) break;
    }
    await connection
      .collection('messages')
      .dropIndex(FORMER_INDEX)
      .catch((error: unknown) => {
        if (!isMissingIndex(error)) throw error;
      });
  },
};

async function placeMessages(connection: Connection, conversationId: ObjectId): Promise<void> {
  const messages = connection.collection<FormerMessage>('messages');
  const former = await messages
    .find({ conversationId })
    .project<FormerMessage>({ parts: 0, metadata: 0 })
    .sort({ createdAt: 1, _id: 1 })
    .toArray();
  const { ordered, lost } = inOrder(former);
  for (const { _id, ...fields } of lost)
    await messages.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true });
  const updates = placesOf(ordered).map(({ _id, ...place }) => ({
    updateOne: { filter: { _id }, update: { $set: place, $unset: { outbox: 1 as const } } },
  }));
  for (let from = 0; from < updates.length; from += UPDATES)
    await messages.bulkWrite(updates.slice(from, from + UPDATES));
  const leaf = ordered.at(-1);
  if (leaf)
    await connection
      .collection<FormerConversation>('conversations')
      .updateOne({ _id: conversationId }, { $set: { activeLeafId: leaf._id } });
}

/** Each user message with its reply behind it; `lost` are those that only the outbox of their reply still has. */
function inOrder(former: FormerMessage[]) {
  const users = new Set(former.filter(({ role }) => role === 'user').map(({ _id }) => String(_id)));
  const replies = new Map(
    former
      .filter(({ role }) => role === 'assistant')
      .map((reply) => [String(reply.parentId), reply]),
  );
  const ordered: FormerMessage[] = [];
  const lost: FormerMessage[] = [];
  for (const message of former) {
    if (message.role === 'user') {
      const reply = replies.get(String(message._id));
      ordered.push(message, ...(reply ? [reply] : []));
    } else if (!users.has(String(message.parentId))) {
      const restored = messageInOutbox(message);
      if (restored) lost.push(restored);
      ordered.push(...(restored ? [restored] : []), message);
    }
  }
  return { ordered, lost };
}

function messageInOutbox(reply: FormerMessage): FormerMessage | null {
  const { conversationId, ownerId, clientMessageId, parentId, outbox } = reply;
  if (!parentId || !outbox?.content || !outbox.createdAt) return null;
  const { content, createdAt } = outbox;
  const shared = { conversationId, ownerId, ...(clientMessageId && { clientMessageId }) };
  return { ...shared, _id: parentId, role: 'user', content, createdAt };
}

function placesOf(ordered: FormerMessage[]): Place[] {
  const places: Place[] = [];
  for (const [depth, { _id, content = '' }] of ordered.entries()) {
    const above = places.at(-1);
    const pathLength = (above?.pathLength ?? 0) + Buffer.byteLength(content);
    places.push({ _id, depth, pathLength, ...(above && { parentId: above._id }) });
  }
  return places;
}
