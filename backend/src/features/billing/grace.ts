import { sweepEach } from '../../jobs/sweep-each.ts';
import type { BillingFeature } from './feature.ts';

const BATCH = 200;

/** Notifies the tabs of users whose grace has ended: the plan stops by the clock, without an event. */
export async function publishGraceEnds({
  subscriptions,
  others: { accounts },
  now,
}: Pick<BillingFeature, 'subscriptions' | 'others' | 'now'>): Promise<void> {
  await sweepEach(await subscriptions.findGraceEnded(now(), BATCH), async (ownerId) => {
    // Published first: after a crash in between, tabs get the event twice rather than never.
    await accounts.publishChange(ownerId);
    await subscriptions.markGraceEndPublished(ownerId, now());
  });
}
