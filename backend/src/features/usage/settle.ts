import { unavailable } from '../../errors.ts';
import type { Payer } from '../payer.ts';
import { closeReservation, moveToLedger, type PlacedReservation } from './close.ts';
import { messagesOf } from './counted-messages.ts';
import type { UsageFeature } from './feature.ts';
import type { LedgerEntry } from './ledger-model.ts';
import { openReservation, usageIdOf } from './make-reservation.ts';
import { type AttemptKey, isSameAttempt, type TokenUsage, withDiscount } from './records.ts';

/** An update of a reservation fails when another one is faster. */
const MAX_UPDATES = 8;

interface Charge {
  key: AttemptKey;
  used: TokenUsage;
}

/**
 * Charges the usage of an attempt, once per attempt and kind, whether its reservation is still open, has expired or was never made. An
 * attempt that sent its prompt is charged for it even without a reply. The order of the reads matters. A settled reservation is removed
 * only after its ledger entry is written. So when an open reservation is read first and no settled entry second, nothing has been charged
 * unless this reservation, known by its id, has been closed in between, and then closing it fails.
 */
export async function settle(
  usage: UsageFeature,
  payer: Payer,
  { key, used }: Charge,
): Promise<void> {
  const { ownerId } = payer;
  const charged = { state: 'settled', used: withDiscount(used, usage.cachedShare) } as const;
  for (let updates = 0; updates < MAX_UPDATES; updates += 1) {
    const [placed] = await findPlaced(usage, ownerId, key);
    const entry = await usage.ledger.find(ownerId, key);
    if (entry?.state === 'settled') {
      if (placed) await releasePlaced(usage, placed);
      return;
    }
    if (!placed) {
      if (!(await hasReopened(usage, payer, { key, entry }))) return;
    } else if (placed.reservation.state !== 'reserved') await moveToLedger(usage, placed);
    else if (await closeReservation(usage, placed, charged)) return;
  }
  throw unavailable();
}

/**
 * Closes the reservation of an attempt without a charge, as if the message had never been sent. A settled attempt stays settled, and
 * nothing happens without a reservation.
 */
export async function release(
  usage: UsageFeature,
  { ownerId }: Payer,
  key: AttemptKey,
): Promise<void> {
  for (const placed of await findPlaced(usage, ownerId, key)) await releasePlaced(usage, placed);
}

async function releasePlaced(usage: UsageFeature, placed: PlacedReservation): Promise<void> {
  if (placed.reservation.state === 'reserved')
    await closeReservation(usage, placed, { state: 'released' });
  else await moveToLedger(usage, placed);
}

/** The open and closed reservations of an attempt. */
const findPlaced = async (
  { periods }: UsageFeature,
  ownerId: string,
  key: AttemptKey,
): Promise<PlacedReservation[]> =>
  (await periods.findWith(ownerId, key)).flatMap((record) =>
    record.reservations
      .filter((reservation) => isSameAttempt(reservation, key))
      .map((reservation) => ({ record, reservation })),
  );

/**
 * Adds an empty reservation for an attempt without one, or with an expired one.
 * @returns false when nothing is charged
 */
async function hasReopened(
  usage: UsageFeature,
  payer: Payer,
  { key, entry }: { key: AttemptKey; entry: LedgerEntry | null },
): Promise<boolean> {
  const { others, periods, newId, now } = usage;
  const { ownerId } = payer;
  const entitlements = await others.billing.entitlementsOf(ownerId);
  // An account that is being erased is charged nothing, so that none of its data is stored again.
  if (entitlements.kind === 'none') return false;
  const id = entry?.usageId ?? usageIdOf(ownerId, entitlements);
  const messages = entry?.messages ?? (await messagesOf(usage, ownerId, key));
  const nothing = { ...key, tokens: 0, replyTokens: 0 };
  // An expired reservation keeps the day of its entry.
  const stamp = { id: newId(), messages, payer, at: entry?.at ?? now(), now: now() };
  await periods.force({ id, ownerId }, openReservation(nothing, stamp));
  return true;
}
