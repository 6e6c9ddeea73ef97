import { closeReservation, moveToLedger, type PlacedReservation } from './close.ts';
import type { UsageFeature } from './feature.ts';

export const USAGE_SWEEP_EVERY_MS = 60_000;
/** Longer than the time between the reservation for a message and the storing of its reply. */
const EXPIRE_AFTER_MS = 5 * 60_000;
const BATCH = 100;

/**
 * Expires reservations whose reply was never stored or has ended, and completes interrupted moves from the sums to the ledger. An expired
 * attempt can still be settled. Any number of sweeps may run at once.
 */
export async function sweepReservations(usage: UsageFeature): Promise<void> {
  const { periods, others, now } = usage;
  const before = new Date(now().getTime() - EXPIRE_AFTER_MS);
  const stale = (await periods.findStale({ before, limit: BATCH })).flatMap((record) =>
    record.reservations
      .filter(({ touchedAt }) => touchedAt < before)
      .map((reservation): PlacedReservation => ({ record, reservation })),
  );
  if (stale.length === 0) return;
  const replyIds = new Set(stale.map((one) => one.reservation.replyId));
  const active = await others.chat.activeReplies([...replyIds]);
  const results = await Promise.allSettled(stale.map((placed) => sweepOne(usage, placed, active)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

async function sweepOne(
  usage: UsageFeature,
  placed: PlacedReservation,
  active: ReadonlySet<string>,
): Promise<void> {
  const { record, reservation } = placed;
  if (reservation.state !== 'reserved') await moveToLedger(usage, placed);
  else if (active.has(reservation.replyId))
    await usage.periods.touch(record, reservation, usage.now());
  else await closeReservation(usage, placed, { state: 'expired' });
}
