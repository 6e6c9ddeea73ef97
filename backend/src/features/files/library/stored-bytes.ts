import type { StorageUse } from '../../../contract/files.ts';
import { unavailable } from '../../../errors.ts';
import { sweepEach } from '../../sweep-each.ts';
import type { FileStore } from './records-model.ts';
import type { StorageReservation, StorageStore } from './stored-bytes-model.ts';

/** The time between a reservation and the record of its file is far shorter. */
const RESERVATION_MS = 10 * 60_000;
const MAX_TRIES = 10;
const BATCH = 100;

interface StorageDeps {
  store: Pick<FileStore, 'sumOf'>;
  counters: StorageStore;
  now: () => Date;
}

/**
 * Counts the bytes of users' files. What a new file needs is reserved by one guarded update before its record is inserted, so
 * that parallel uploads cannot exceed the limit together. What becomes free is found by recounting: that can be repeated
 * after a crash.
 */
export type Storage = ReturnType<typeof createStorage>;

export function createStorage({ store, counters, now }: StorageDeps) {
  /** The record of a file may be inserted while this reads: such a file counts once, by its reservation or its record. */
  const recount = async (ownerId: string): Promise<void> => {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const { version, pending } = await counters.find(ownerId);
      if (version === 0) return;
      const oldest = now().getTime() - RESERVATION_MS;
      const recent = pending.filter(({ at }) => at.getTime() >= oldest);
      const { bytes, present } = await store.sumOf(
        ownerId,
        recent.map(({ fileId }) => fileId),
      );
      const open = recent.filter(({ fileId }) => !present.includes(fileId));
      const used = open.reduce((sum, one) => sum + one.bytes, bytes);
      if (await counters.correct(ownerId, { used, version, pending: open })) return;
    }
    throw unavailable(new Error('The storage of a user changes too fast to be counted.'));
  };

  return {
    recount,

    /** @returns false when the limit leaves no room */
    reserve: (
      ownerId: string,
      file: Pick<StorageReservation, 'fileId' | 'bytes'>,
      limit: number,
    ): Promise<boolean> => counters.reserve(ownerId, { ...file, at: now() }, limit),

    settle: counters.settle,
    release: counters.release,

    /** Bytes in use. */
    used: async (ownerId: string): Promise<StorageUse['used']> =>
      (await counters.find(ownerId)).used,

    /** Recounts the owners of reservations that a crash has left behind. */
    sweep: async (): Promise<void> => {
      const before = new Date(now().getTime() - RESERVATION_MS);
      await sweepEach(await counters.withReservationsBefore({ before, limit: BATCH }), recount);
    },

    removeOf: counters.removeOf,
  };
}
