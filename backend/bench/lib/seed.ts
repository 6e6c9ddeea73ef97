import { createConnection, Types } from 'mongoose';
import { mixedMarkdown } from './mixed-markdown.ts';

const REPLY_LENGTH = 4 * 1024;
const BATCH = 500;

/** Gives a user a plan and conversations directly in the database, because sending thousands of messages would take hours. */
export async function seed<T>(
  uri: string,
  work: (seeder: {
    subscribe: (ownerId: string) => Promise<void>;
    conversation: (ownerId: string, messages: number) => Promise<string>;
  }) => Promise<T>,
): Promise<T> {
  const connection = await createConnection(uri).asPromise();
  const insert = (name: string, documents: object[]) =>
    connection.collection(name).insertMany(documents);
  try {
    return await work({
      subscribe: async (ownerId) => {
        const subscription = { plan: 'pro', status: 'active', startedAt: new Date() };
        await insert('subscriptions', [{ ownerId: new Types.ObjectId(ownerId), ...subscription }]);
      },
      conversation: async (ownerId, messages) => {
        const path = pathOf(messages, new Types.ObjectId(ownerId));
        const last = path.at(-1);
        if (!last) throw new Error('A conversation needs messages.');
        const { conversationId, createdAt } = last;
        for (let start = 0; start < path.length; start += BATCH) {
          await insert('messages', path.slice(start, start + BATCH));
        }
        const dates = { createdAt, updatedAt: createdAt };
        const title = `${messages} messages`;
        await insert('conversations', [
          {
            _id: conversationId,
            ownerId: last.ownerId,
            title,
            ...dates,
            activeLeafId: last._id,
          },
        ]);
        return String(conversationId);
      },
    });
  } finally {
    await connection.close();
  }
}

/** One branch: user messages and their complete replies of 4 KB, alternating. */
function pathOf(count: number, ownerId: Types.ObjectId) {
  const conversationId = new Types.ObjectId();
  const reply = mixedMarkdown(REPLY_LENGTH);
  const startedAt = Date.now() - count * 1_000;
  let parentId: Types.ObjectId | undefined;
  let pathLength = 0;
  return Array.from({ length: count }, (_, depth) => {
    const isReply = depth % 2 === 1;
    const content = isReply ? reply : `What did the telescope see in night ${depth / 2}?`;
    const _id = new Types.ObjectId();
    pathLength += content.length;
    const message = {
      _id,
      conversationId,
      ownerId,
      role: isReply ? 'assistant' : 'user',
      content,
      createdAt: new Date(startedAt + depth * 1_000),
      depth,
      pathLength,
      ...(parentId && { parentId }),
      ...(isReply && { status: 'complete', attempt: 1 }),
    };
    parentId = _id;
    return message;
  });
}
