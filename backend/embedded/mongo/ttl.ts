import type { Collection, Index } from './collection.ts';
import { find } from './query.ts';
import type { Store } from './store.ts';

const AT_ONCE = 1_000;

/** Removes documents that have expired by TTL indexes. True when more may be left. */
export function removeExpired(store: Store, now: Date): boolean {
  const due = store
    .list()
    .flatMap((collection) => collection.indexes.map((index) => ({ collection, index })))
    .filter(({ index }) => index.spec.expireAfterSeconds !== null);
  const counts = due.map(({ collection, index }) => removeFrom(collection, index, now));
  return counts.includes(AT_ONCE);
}

function removeFrom(collection: Collection, { spec }: Index, now: Date): number {
  const name = spec.fields[0]?.name ?? '';
  const before = new Date(now.getTime() - (spec.expireAfterSeconds ?? 0) * 1000);
  const expired = { [name]: { $lte: before } };
  const filter = spec.partial ? { $and: [expired, spec.partial.filter] } : expired;
  const rows = [...find(collection, { filter, sort: [], skip: 0, limit: AT_ONCE })];
  for (const row of rows) collection.remove(row);
  return rows.length;
}
