import { unavailable } from '../../../errors.ts';
import { sweepEach } from '../../../jobs/sweep-each.ts';
import type { FilesFeature } from '../feature.ts';
import type { StorageReservation } from './stored-bytes-model.ts';

// The bytes of a user's files are counted. One guarded update reserves the bytes of a new file before its record is inserted, so that
// parallel uploads cannot exceed the limit together. A recount finds freed bytes and can be repeated after a crash.

/** Far longer than the time between a reservation and its record. */
const RESERVATION_MS = 10 * 60_000;
const MAX_ATTEMPTS = 10;
const BATCH = 100;

type Counting = Pick<FilesFeature, 'records' | 'storedBytes' | 'now'>;

/** @returns false when the limit leaves no room */
export const reserveBytes = (
  { storedBytes, now }: Pick<Counting, 'storedBytes' | 'now'>,
  ownerId: string,
  file: Pick<StorageReservation, 'fileId' | 'bytes'>,
  limit: number,
): Promise<boolean> => storedBytes.reserve(ownerId, { ...file, at: now() }, limit);

export const usedBytes = async (
  { storedBytes }: Pick<Counting, 'storedBytes'>,
  ownerId: string,
): Promise<number> => (await storedBytes.find(ownerId)).used;

/** A file counts by its reservation while that is open, and then by its record, which may be inserted while this reads. */
export async function recountBytes(
  { records, storedBytes, now }: Counting,
  ownerId: string,
): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const { version, pending } = await storedBytes.find(ownerId);
    if (version === 0) return;
    const oldest = now().getTime() - RESERVATION_MS;
    const recent = pending.filter(({ at }) => at.getTime() >= oldest);
    const others = await records.sumOf(ownerId, { except: recent.map(({ fileId }) => fileId) });
    const used = recent.reduce((sum, { bytes }) => sum + bytes, others);
    if (await storedBytes.correct(ownerId, { used, version, pending: recent })) return;
  }
  throw unavailable(new Error('The storage of a user changes too fast to be counted.'));
}

/** Recounts the owners of reservations that a crash has left. */
export async function sweepReservations(files: Counting): Promise<void> {
  const before = new Date(files.now().getTime() - RESERVATION_MS);
  const owners = await files.storedBytes.withReservationsBefore({ before, limit: BATCH });
  await sweepEach(owners, (ownerId) => recountBytes(files, ownerId));
}
