import { audienceOf } from '../../../access/index.ts';
import type { Bus } from '../../../realtime/bus.ts';
import { type MessageTree, presentReply } from '../messages/index.ts';
import type { ReplyStore } from './model.ts';

interface Deps {
  replies: Pick<ReplyStore, 'setMemoriesUndone'>;
  messages: Pick<MessageTree, 'children'>;
  bus: Pick<Bus, 'publish'>;
}

/** Stores with a reply that what it saved was taken back, and publishes the reply. */
export const createMemoriesUndone =
  ({ replies, messages, bus }: Deps) =>
  async (replyId: string, ownerId: string): Promise<void> => {
    const reply = await replies.setMemoriesUndone(replyId, ownerId);
    if (!reply) return;
    const { conversationId, parentId, depth } = reply;
    const siblings = await messages.children({ conversationId, ownerId }, { parentId, depth });
    const presented = presentReply(
      reply,
      siblings.map(({ id }) => id),
    );
    for (const userId of audienceOf(reply)) await bus.publish(userId, 'message:updated', presented);
  };
