import type { Bus } from '../../../realtime/bus.ts';
import type { UsageService } from '../../usage/index.ts';
import { type ConversationStore, listedFor, presentConversation } from '../conversations/index.ts';
import type { ReplyRecord, Scope } from './record.ts';
import { FIRST_ATTEMPT } from './reserving.ts';
import type { SentMessageStore } from './sent-message-model.ts';

interface CompletionDeps {
  sends: SentMessageStore;
  conversations: ConversationStore;
  search: { remove: (scope: Scope) => Promise<void> };
  files: { releaseConversation: (scope: Scope) => Promise<void> };
  replyLog: { remove: (replyIds: string[]) => Promise<void> };
  usage: Pick<UsageService, 'release'>;
  bus: Bus;
}

/**
 * Completes the send that created a reply, when a crash cut it after the reply was stored: stores the user message and
 * makes the reply the active leaf. Takes the reply with its `outbox`; without one there is nothing to do. It is safe to
 * run repeatedly, late, or in several processes at once. A send that was stored after its conversation was erased is erased
 * too: a worker that runs its reply finds it removed at the next checkpoint.
 * @returns whether the user message had been missing: then a path that was read meanwhile lacks it.
 */
export type CompleteSend = (reply: ReplyRecord) => Promise<boolean>;

export function createSendCompletion(deps: CompletionDeps): CompleteSend {
  const { sends, conversations, bus } = deps;
  const erase = createSendErasing(deps);

  return async (reply) => {
    if (!reply.outbox) return false;
    const { conversationId, ownerId } = reply;
    const [wasMissing, moved] = await Promise.all([
      sends.storeMessage(reply),
      conversations.moveLeaf({
        id: conversationId,
        ownerId,
        from: reply.outbox.leafBefore,
        to: reply.id,
        at: reply.createdAt,
        remember: reply.outbox.remember,
      }),
    ]);
    if (!moved && !(await conversations.exists({ id: conversationId, ownerId }))) {
      await erase(reply);
      return false;
    }
    if (moved && !moved.isDeleted)
      await Promise.all(
        listedFor(moved).map((userId) =>
          bus.publish(userId, 'conversation:changed', presentConversation(moved)),
        ),
      );
    return wasMissing;
  };
}

/** The reply goes last: what was cut off is found by it and done again. */
const createSendErasing =
  ({ sends, search, files, replyLog, usage }: CompletionDeps) =>
  async ({ id, parentId, conversationId, ownerId, attempt }: ReplyRecord): Promise<void> => {
    const scope = { conversationId, ownerId };
    await sends.remove(parentId, scope);
    await search.remove(scope);
    await files.releaseConversation(scope);
    await replyLog.remove([id]);
    await usage.release(ownerId, { replyId: id, attempt: Math.max(FIRST_ATTEMPT, attempt) });
    await sends.remove(id, scope);
  };
