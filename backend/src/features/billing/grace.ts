import { sweepEach } from '../../jobs/sweep-each.ts';
import type { BillingFeature } from './feature.ts';
import { publishPlan } from './refresh.ts';

const BATCH = 200;

/** Notifies the tabs of users whose grace has ended, and of their workspaces: the plan stops by the clock, without an event. */
export async function publishGraceEnds(
  billing: Pick<BillingFeature, 'subscriptions' | 'others' | 'now'>,
): Promise<void> {
  const { subscriptions, now } = billing;
  await sweepEach(await subscriptions.findGraceEnded(now(), BATCH), async (ownerId) => {
    // Published first: after a crash in between, tabs get the event twice rather than never.
    await publishPlan(billing, ownerId);
    await subscriptions.markGraceEndPublished(ownerId, now());
  });
}
