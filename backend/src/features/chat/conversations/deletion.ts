import { type Actor, audienceOf } from '../../../access/index.ts';
import type { Conversation } from '../../../contract/conversations.ts';
import { RESTORE_SECONDS } from '../../../contract/limits.ts';
import { notFound } from '../../../errors.ts';
import { sweepEach } from '../../../jobs/sweep-each.ts';
import type { Log } from '../../../log.ts';
import type { Bus } from '../../../realtime/bus.ts';
import type { ConversationDeletionStore } from './deletion-model.ts';
import { listedFor, presentConversation } from './present.ts';

/** A request to restore has ended by then, whatever the clocks of the processes say. */
export const ERASE_AFTER_MS = 2 * RESTORE_SECONDS * 1_000;
const BATCH = 50;
/** Longer than erasing one conversation takes. */
const LEASE_MS = 10 * 60_000;

export const ERASE_EVERY_MS = 10_000;

interface Scope {
  conversationId: string;
  ownerId: string;
}

interface DeletionDeps {
  deletions: ConversationDeletionStore;
  /** Requests the end of the replies that run in the conversation. */
  stopReplies: (scope: Scope) => Promise<void>;
  bus: Bus;
  now: () => Date;
  log: Log;
}

/** Deletes conversations, and restores them while that is possible. */
export type ConversationDeletion = ReturnType<typeof createConversationDeletion>;

export function createConversationDeletion(deps: DeletionDeps) {
  const { deletions, stopReplies, bus, now, log } = deps;

  return {
    /** From now on the conversation answers 404, and its running reply ends. @throws AppError not_found */
    remove: async (actor: Pick<Actor, 'userId'>, id: string): Promise<void> => {
      const deleted = await deletions.markDeleted({ id, ownerId: actor.userId }, now());
      if (!deleted) throw notFound('conversation');
      for (const userId of audienceOf(deleted))
        void bus.publish(userId, 'conversation:deleted', { id });
      // What goes on running is stopped again before the conversation is erased.
      await stopReplies({ conversationId: id, ownerId: deleted.ownerId }).catch(
        (error: unknown) => {
          log.warn({ err: error, conversationId: id }, 'a reply was not stopped yet');
        },
      );
    },

    /** @throws AppError not_found when the time to restore it is over */
    restore: async (actor: Pick<Actor, 'userId'>, id: string): Promise<Conversation> => {
      const since = new Date(now().getTime() - RESTORE_SECONDS * 1_000);
      const restored = await deletions.restore({ id, ownerId: actor.userId }, { since });
      if (!restored) throw notFound('conversation');
      const conversation = presentConversation(restored);
      for (const userId of listedFor(restored))
        void bus.publish(userId, 'conversation:changed', conversation);
      return conversation;
    },
  };
}

interface ErasingDeps {
  deletions: ConversationDeletionStore;
  /** Removes messages and reply logs. @returns false while a reply has not ended */
  removeMessages: (scope: Scope) => Promise<boolean>;
  /** Removes the messages from the search. */
  removeFromSearch: (scope: Scope) => Promise<void>;
  /** Removes the uses of files, and the files that nothing else uses. */
  releaseFiles: (scope: Scope) => Promise<void>;
  now: () => Date;
}

/**
 * Erases deleted conversations, each record last: what was cut off is found and done again once the lease has ended. Two
 * workers at one conversation do no harm, as after a lease has ended.
 */
export function createConversationErasing(deps: ErasingDeps) {
  const { deletions, removeMessages, removeFromSearch, releaseFiles, now } = deps;

  return async (): Promise<void> => {
    const before = new Date(now().getTime() - ERASE_AFTER_MS);
    const due = await deletions.deleted({ before, now: now(), limit: BATCH });
    await sweepEach(due, async (conversation) => {
      const scope = { conversationId: conversation.id, ownerId: conversation.ownerId };
      const at = now();
      const lease = { leasedUntil: new Date(at.getTime() + LEASE_MS) };
      if (!(await deletions.beginErasing(conversation, { before, now: at, ...lease }))) return;
      if (!(await removeMessages(scope))) return deletions.release(conversation, lease);
      await removeFromSearch(scope);
      await releaseFiles(scope);
      return deletions.remove(conversation);
    });
  };
}
