import type { DailyLease, DailyRuns } from '../../../db/daily-runs.ts';
import type { Log } from '../../../log.ts';
import type { PaymentGateway, SubscriptionSnapshot } from '../../../payments/index.ts';
import { type DeriveSettings, isRunning, isSameState, subscriptionFrom } from '../derive.ts';
import type { Subscription, SubscriptionStore } from '../model.ts';
import { isUserId, type Refresh } from '../refresh.ts';

const HOUR_MS = 60 * 60_000;
/** Comparisons begin at 3:00 UTC, or when a worker starts later that day. */
const BEGINS_MS = 3 * HOUR_MS;
const LEASE_MS = 10 * 60_000;
const PAGE = 100;

/** What a comparison has counted. */
export interface ComparisonCounts {
  /** Subscriptions that were looked at, on both sides. */
  compared: number;
  /** Users whose stored subscription was different and is right now. */
  repaired: number;
  /** Users whose subscription could not be compared or repaired; the log has the reasons. */
  failed: number;
}

export type ComparisonRuns = DailyRuns<ComparisonCounts>;

export interface ComparisonDeps {
  comparisons: ComparisonRuns;
  subscriptions: SubscriptionStore;
  gateway: Pick<PaymentGateway, 'allSubscriptions'>;
  settings: DeriveSettings;
  refresh: Refresh;
  now: () => Date;
  log: Log;
}

/**
 * Compares the payment provider's subscriptions with the stored ones, both ways, once a day over all workers. What
 * differs is refreshed.
 */
export function createComparison(deps: ComparisonDeps): () => Promise<void> {
  const { comparisons, now, log } = deps;
  return async () => {
    const at = now();
    const day = new Date(at.getTime() - BEGINS_MS).toISOString().slice(0, 10);
    const staleBefore = new Date(at.getTime() - LEASE_MS);
    let lease: DailyLease | null = await comparisons.lease(day, { now: at, staleBefore });
    if (!lease) return;
    const counts = await compareAll(deps, async () => {
      lease = lease && (await comparisons.renew(lease, now()));
      if (!lease) throw new Error('Another worker has taken over the comparison of payments.');
    });
    if (await comparisons.finish(lease, counts, now()))
      log.info(counts, 'subscriptions were compared with the payment provider');
  };
}

async function compareAll(deps: ComparisonDeps, renew: () => Promise<void>) {
  const { subscriptions, gateway } = deps;
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
    // Other subscriptions of the provider's account are not this product's.
    if (ownerId !== null && isUserId(ownerId))
      await compareOne(deps, counts, { ownerId, snapshot });
  }

  let after: string | null = null;
  for (;;) {
    const page: Subscription[] = await subscriptions.pageOfSubscribers(after, PAGE);
    for (const { ownerId, subscriptionId } of page) {
      await count();
      if (subscriptionId === null || !running.has(subscriptionId))
        await compareOne(deps, counts, { ownerId });
    }
    after = page.at(-1)?.ownerId ?? null;
    if (page.length < PAGE) return counts;
  }
}

/** Refreshes a user unless what is stored follows from `snapshot`. */
async function compareOne(
  deps: ComparisonDeps,
  counts: ComparisonCounts,
  { ownerId, snapshot }: { ownerId: string; snapshot?: SubscriptionSnapshot },
): Promise<void> {
  const { subscriptions, settings, refresh, now, log } = deps;
  try {
    const stored = snapshot && (await subscriptions.findOf(ownerId));
    if (stored) {
      const derived = subscriptionFrom({ snapshot, previous: stored, now: now() }, settings);
      if (isSameState(stored, derived)) return;
    }
    const { changed } = await refresh(ownerId, { customerId: snapshot?.customerId ?? null });
    if (!changed) return;
    counts.repaired += 1;
    log.warn({ ownerId }, 'a stored subscription differed from the provider and was repaired');
  } catch (error) {
    counts.failed += 1;
    log.error({ err: error, ownerId }, 'a subscription could not be compared');
  }
}
