import { sweepEach } from '../../../jobs/sweep-each.ts';
import type { Bus } from '../../../realtime/bus.ts';
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

/** Deletes temporary conversations after 24 hours; they are erased as long after that as any other deleted conversation. */
export const createTemporaryErasing =
  ({ deletions, stopReplies, bus, now }: Deps) =>
  async (): Promise<void> => {
    const before = new Date(now().getTime() - TEMPORARY_LIFETIME_MS);
    const expired = await deletions.markExpired({ before, now: now() });
    await sweepEach(expired, async ({ id, ownerId }) => {
      await bus.publish(ownerId, 'conversation:deleted', { id });
      await stopReplies({ conversationId: id, ownerId });
    });
  };
