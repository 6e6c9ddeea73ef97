import type { UsageFeature } from './feature.ts';
import {
  type ClosedState,
  type Reservation,
  type TokenUsage,
  tokensOf,
  type UsageRecord,
} from './records.ts';

// Reservations are closed in this order: first the sums, then the ledger entry, then the reservation is removed.

/** A reservation with its usage period. */
export interface PlacedReservation {
  record: Pick<UsageRecord, 'id' | 'ownerId'>;
  reservation: Reservation;
}

/** Closes an open reservation. @returns false when it is no longer open */
export async function closeReservation(
  usage: UsageFeature,
  { record, reservation }: PlacedReservation,
  { state, used }: { state: ClosedState; used?: TokenUsage },
): Promise<boolean> {
  const { periods, budget, now, publishChange } = usage;
  const closed = { ...reservation, state, touchedAt: now(), ...(used && { used }) };
  if (!(await periods.close(record, reservation, closed))) return false;
  publishChange(record.ownerId);
  if (reservation.budgetHour)
    await budget.giveBack(reservation.budgetHour, reservation.tokens - tokensOf(used));
  await moveToLedger(usage, { record, reservation: closed });
  return true;
}

/** Writes a closed reservation to the ledger and removes it from its period. A repeated call completes an interrupted one. */
export async function moveToLedger(
  { ledger, periods }: UsageFeature,
  { record, reservation }: PlacedReservation,
): Promise<void> {
  await ledger.write({ usageId: record.id, ownerId: record.ownerId }, reservation);
  await periods.forget(record, reservation);
}
