import { type ClosingDeps, createClosing, type Placed } from './closing.ts';

export const USAGE_SWEEP_EVERY_MS = 60_000;
/** Longer than a message takes from its reservation to its reply being stored. */
const EXPIRE_AFTER_MS = 5 * 60_000;
const BATCH = 100;

/** Finds those of the replies that are queued or running. */
export type IsActive = (replyIds: string[]) => Promise<ReadonlySet<string>>;

interface SweepDeps extends ClosingDeps {
  isActive: IsActive;
}

/**
 * Expires reservations whose reply was never stored or has ended, and completes what a crash left between the sums and
 * the ledger. An expired attempt can still be settled. Any number of sweeps may run at once.
 */
export function createUsageSweep(deps: SweepDeps): () => Promise<void> {
  const { store, now, isActive } = deps;
  const closing = createClosing(deps);

  const sweepOne = async (placed: Placed, active: ReadonlySet<string>) => {
    const { record, reservation } = placed;
    if (reservation.state !== 'reserved') await closing.enter(placed);
    else if (active.has(reservation.replyId)) await store.touch(record.id, reservation, now());
    else await closing.close(placed, { state: 'expired' });
  };

  return async () => {
    const before = new Date(now().getTime() - EXPIRE_AFTER_MS);
    const stale = (await store.findStale({ before, limit: BATCH })).flatMap((record) =>
      record.reservations
        .filter(({ touchedAt }) => touchedAt < before)
        .map((reservation): Placed => ({ record, reservation })),
    );
    if (stale.length === 0) return;
    const active = await isActive([...new Set(stale.map((one) => one.reservation.replyId))]);
    const results = await Promise.allSettled(stale.map((placed) => sweepOne(placed, active)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };
}
