import { sweepEach } from '../../jobs/sweep-each.ts';
import type { SubscriptionStore } from './model.ts';

const BATCH = 200;

/** Tells the tabs of users whose grace has ended: the plan stops by the clock, without an event. */
export function createGraceSweep({
  subscriptions,
  tell,
  now,
}: {
  subscriptions: Pick<SubscriptionStore, 'findGraceEnded' | 'markGraceEndTold'>;
  tell: (userId: string) => Promise<void>;
  now: () => Date;
}): () => Promise<void> {
  return async () => {
    await sweepEach(await subscriptions.findGraceEnded(now(), BATCH), async (ownerId) => {
      // Told first: after a crash in between, tabs are told twice rather than never.
      await tell(ownerId);
      await subscriptions.markGraceEndTold(ownerId, now());
    });
  };
}
