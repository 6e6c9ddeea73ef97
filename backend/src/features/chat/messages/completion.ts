import type { Bus } from '../../../realtime/bus.ts';
import { type ConversationStore, listedFor, presentConversation } from '../conversations/index.ts';
import type { ReplyRecord } from './model.ts';
import type { SendStore } from './send-model.ts';

interface CompletionDeps {
  sends: SendStore;
  conversations: ConversationStore;
  bus: Bus;
}

/**
 * Completes the send that created a reply, when a crash cut it after the reply was stored: stores the user message and
 * makes the reply the active leaf. Takes the reply with its `outbox`; without one there is nothing to do. It is safe to
 * run repeatedly, late, or in several processes at once.
 * @returns whether the user message had been missing: then a path that was read meanwhile lacks it.
 */
export type CompleteSend = (reply: ReplyRecord) => Promise<boolean>;

export function createSendCompletion({ sends, conversations, bus }: CompletionDeps): CompleteSend {
  return async (reply) => {
    if (!reply.outbox) return false;
    const [wasMissing, moved] = await Promise.all([
      sends.storeMessage(reply),
      conversations.moveLeaf({
        id: reply.conversationId,
        ownerId: reply.ownerId,
        from: reply.outbox.leafBefore,
        to: reply.id,
        at: reply.createdAt,
        remember: reply.outbox.remember,
      }),
    ]);
    if (moved && !moved.isDeleted)
      await Promise.all(
        listedFor(moved).map((userId) =>
          bus.publish(userId, 'conversation:changed', presentConversation(moved)),
        ),
      );
    return wasMissing;
  };
}
