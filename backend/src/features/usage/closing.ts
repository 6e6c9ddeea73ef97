import { unavailable } from '../../errors.ts';
import type { GuestBudget } from './budget-model.ts';
import type { LedgerEntry, LedgerStore } from './ledger-model.ts';
import type { UsageStore } from './model.ts';
import {
  type AttemptKey,
  type ClosedState,
  isSameAttempt,
  type Reservation,
  type TokenUsage,
  tokensOf,
  type UsageRecord,
} from './records.ts';

const MAX_TRIES = 8;

export interface ClosingDeps {
  store: UsageStore;
  ledger: LedgerStore;
  budget: GuestBudget;
  now: () => Date;
  /** Called after the sums of a user have changed. */
  onChanged: (ownerId: string) => void;
}

/** A reservation with the document that it stands in. */
export interface Placed {
  record: Pick<UsageRecord, 'id' | 'ownerId'>;
  reservation: Reservation;
}

/** Closes reservations: first the sums, then the ledger entry, then the reservation is removed. */
export type Closing = ReturnType<typeof createClosing>;

export function createClosing({ store, ledger, budget, now, onChanged }: ClosingDeps) {
  const findAll = async (ownerId: string, key: AttemptKey): Promise<Placed[]> =>
    (await store.findWith(ownerId, key)).flatMap((record) =>
      record.reservations
        .filter((reservation) => isSameAttempt(reservation, key))
        .map((reservation) => ({ record, reservation })),
    );

  /** Writes a closed reservation to the ledger. Calling it again completes what a crash left undone. */
  const enter = async ({ record, reservation }: Placed): Promise<void> => {
    await ledger.write({ usageId: record.id, ownerId: record.ownerId }, reservation);
    await store.forget(record.id, reservation);
  };

  /** False when the reservation is not open any more. */
  const close = async (
    { record, reservation }: Placed,
    { state, used }: { state: ClosedState; used?: TokenUsage },
  ): Promise<boolean> => {
    const closed = { ...reservation, state, touchedAt: now(), ...(used && { used }) };
    if (!(await store.close(record.id, reservation, closed))) return false;
    onChanged(record.ownerId);
    if (reservation.budgetHour)
      await budget.giveBack(reservation.budgetHour, reservation.tokens - tokensOf(used));
    await enter({ record, reservation: closed });
    return true;
  };

  const closeOrEnter = async (placed: Placed, state: ClosedState): Promise<void> => {
    if (placed.reservation.state === 'reserved') await close(placed, { state });
    else await enter(placed);
  };

  return {
    findAll,
    enter,
    close,

    /** Closes what is open of the attempt without a charge; a settled attempt stays settled. */
    release: async (ownerId: string, key: AttemptKey): Promise<void> => {
      for (const placed of await findAll(ownerId, key)) await closeOrEnter(placed, 'released');
    },

    /**
     * Charges an attempt once. `reopen` puts a reservation in place when there is none (any more),
     * or answers false when nothing is to be charged.
     *
     * The order of the reads matters. A settled reservation goes only after its ledger entry is written. So when an open
     * reservation is read first and no settled entry second, nothing has been charged unless that very reservation, known
     * by its id, has been closed in between, and then closing it fails.
     */
    settle: async (
      { ownerId, key, used }: { ownerId: string; key: AttemptKey; used: TokenUsage },
      reopen: (entry: LedgerEntry | null) => Promise<boolean>,
    ): Promise<void> => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const [placed] = await findAll(ownerId, key);
        const entry = await ledger.find(key);
        if (entry?.state === 'settled') {
          if (placed) await closeOrEnter(placed, 'released');
          return;
        }
        if (!placed) {
          if (!(await reopen(entry))) return;
        } else if (placed.reservation.state !== 'reserved') await enter(placed);
        else if (await close(placed, { state: 'settled', used })) return;
      }
      throw unavailable();
    },
  };
}
