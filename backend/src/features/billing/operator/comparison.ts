import type { DailyLease } from '../../../db/daily-runs.ts';
import type { SubscriptionSnapshot } from '../../../payments/index.ts';
import { isRunning, isSameState, subscriptionFrom } from '../derive.ts';
import type { BillingFeature, ComparisonCounts } from '../feature.ts';
import type { Subscription } from '../model.ts';
import { isUserId, refreshSubscription } from '../refresh.ts';

const HOUR_MS = 60 * 60_000;
/** Comparisons begin at 3:00 UTC, or later that day when a worker starts later. */
const BEGINS_MS = 3 * HOUR_MS;
const LEASE_MS = 10 * 60_000;
const PAGE = 100;

/**
 * Compares the payment provider's subscriptions with the stored ones, in both directions, once a day over all workers, and refreshes the
 * users with differences.
 */
export async function compareSubscriptions(billing: BillingFeature): Promise<void> {
  const { comparisons, now, log } = billing;
  const at = now();
  const day = new Date(at.getTime() - BEGINS_MS).toISOString().slice(0, 10);
  const staleBefore = new Date(at.getTime() - LEASE_MS);
  let lease: DailyLease | null = await comparisons.lease(day, { now: at, staleBefore });
  if (!lease) return;
  const counts = await compareAll(billing, async () => {
    lease = lease && (await comparisons.renew(lease, now()));
    if (!lease) throw new Error('Another worker has taken over the comparison of payments.');
  });
  if (await comparisons.finish(lease, counts, now()))
    log.info(counts, 'subscriptions compared with the payment provider');
}

async function compareAll(billing: BillingFeature, renew: () => Promise<void>) {
  const { subscriptions, gateway } = billing;
  const counts: ComparisonCounts = { compared: 0, repaired: 0, failed: 0 };
  const running = new Set<string>();
  const count = async () => {
    counts.compared += 1;
    if (counts.compared % PAGE === 0) await renew();
  };

  for await (const snapshot of gateway.allSubscriptions()) {
    await count();
    if (!isRunning(snapshot)) continue;
    running.add(snapshot.id);
    const ownerId = (await subscriptions.ownerOfCustomer(snapshot.customerId)) ?? snapshot.ownerId;
    // The provider's account may have subscriptions that this product did not sell.
    if (ownerId !== null && isUserId(ownerId))
      await compareOne(billing, counts, { ownerId, snapshot });
  }

  let after: string | null = null;
  for (;;) {
    const page: Subscription[] = await subscriptions.pageOfSubscribers(after, PAGE);
    for (const { ownerId, subscriptionId } of page) {
      await count();
      if (subscriptionId === null || !running.has(subscriptionId))
        await compareOne(billing, counts, { ownerId });
    }
    after = page.at(-1)?.ownerId ?? null;
    if (page.length < PAGE) return counts;
  }
}

/** Refreshes a user unless the stored state follows from `snapshot`. */
async function compareOne(
  billing: BillingFeature,
  counts: ComparisonCounts,
  { ownerId, snapshot }: { ownerId: string; snapshot?: SubscriptionSnapshot },
): Promise<void> {
  const { subscriptions, deriveSettings, now, log } = billing;
  try {
    const stored = snapshot && (await subscriptions.findOf(ownerId));
    if (stored) {
      const derived = subscriptionFrom({ snapshot, previous: stored, now: now() }, deriveSettings);
      if (isSameState(stored, derived)) return;
    }
    const customerId = snapshot?.customerId ?? null;
    const { changed } = await refreshSubscription(billing, ownerId, { customerId });
    if (!changed) return;
    counts.repaired += 1;
    log.warn({ ownerId }, 'stored subscription differed from the provider and was repaired');
  } catch (error) {
    counts.failed += 1;
    log.error({ err: error, ownerId }, 'subscription could not be compared');
  }
}
