import type { Bus } from '../../../realtime/bus.ts';
import { ERASE_AFTER_MS } from './deletion.ts';
import type { ConversationDeletionStore } from './deletion-model.ts';

/** After its creation. */
export const TEMPORARY_LIFETIME_MS = 24 * 3_600_000;

export const TEMPORARY_EVERY_MS = 60_000;

interface Deps {
  deletions: Pick<ConversationDeletionStore, 'markExpired'>;
  stopReplies: (scope: { conversationId: string; ownerId: string }) => Promise<void>;
  bus: Pick<Bus, 'publish'>;
  now: () => Date;
}

/** Deletes temporary conversations after 24 hours, so that the next sweep of deleted conversations erases them. */
export const createTemporaryErasing =
  ({ deletions, stopReplies, bus, now }: Deps) =>
  async (): Promise<void> => {
    const at = now().getTime();
    const expired = await deletions.markExpired({
      before: new Date(at - TEMPORARY_LIFETIME_MS),
      // They cannot be restored.
      deletedAt: new Date(at - 2 * ERASE_AFTER_MS),
    });
    for (const { id, ownerId } of expired) {
      await bus.publish(ownerId, 'conversation:deleted', { id });
      await stopReplies({ conversationId: id, ownerId });
    }
  };
