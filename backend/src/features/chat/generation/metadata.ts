import type { MessageMetadata } from '../../../contract/messages.ts';
import type { Bus } from '../../../realtime/bus.ts';
import { type MessageTree, presentReply } from '../messages/index.ts';
import type { ReplyStore } from './model.ts';

interface MetadataDeps {
  replies: Pick<ReplyStore, 'addMetadata'>;
  messages: Pick<MessageTree, 'children'>;
  bus: Pick<Bus, 'publish'>;
}

/**
 * Stores what is known only after the end of an attempt, then publishes the message. For jobs that follow a complete
 * reply. Resolves with false when the reply is not that attempt's any more: then nothing is stored or published.
 */
export function createMetadataWriter({ replies, messages, bus }: MetadataDeps) {
  return async (
    { id, attempt }: { id: string; attempt: number },
    metadata: MessageMetadata,
  ): Promise<boolean> => {
    const reply = await replies.addMetadata({ id, attempt, metadata });
    if (!reply) return false;
    const { conversationId, ownerId, parentId, depth } = reply;
    const siblings = await messages.children({ conversationId, ownerId }, { parentId, depth });
    const message = presentReply(
      reply,
      siblings.map((sibling) => sibling.id),
    );
    await bus.publish(ownerId, 'message:updated', message);
    return true;
  };
}
