import type { Connection } from '../../../db/mongo.ts';
import { defineLedgerModel, entryId } from '../ledger-model.ts';
import { defineUsageModel } from '../model.ts';
import { dayOf, type Reservation, type UsageSums } from '../records.ts';

/** The stored sums of a user, and the sums of the entries and open reservations. */
export function createDerivation(connection: Connection) {
  const usage = defineUsageModel(connection);
  const ledger = defineLedgerModel(connection);

  return async (ownerId: string) => {
    const [docs, entries] = await Promise.all([
      usage.find({ ownerId }).lean<StoredSums[]>(),
      ledger.find({ ownerId }).lean(),
    ]);
    const reservations = docs.flatMap((doc) => doc.reservations ?? []);
    const open = reservations.filter(({ state }) => state === 'reserved');
    const settled = entries.filter(({ state }) => state === 'settled');
    const written = new Set(settled.map(({ _id }) => _id));
    const unwritten = reservations.filter(
      (one) => one.state === 'settled' && !written.has(entryId(one)),
    );
    const charges = [
      ...settled,
      ...unwritten.map((one) => ({
        kind: one.kind,
        messages: one.messages,
        day: dayOf(one.at),
        promptTokens: one.used?.promptTokens ?? 0,
        completionTokens: one.used?.completionTokens ?? 0,
        discountTokens: one.used?.discountTokens ?? 0,
      })),
    ].map(({ discountTokens, ...charge }) => ({
      ...charge,
      tokens: charge.promptTokens + charge.completionTokens - (discountTokens ?? 0),
    }));
    const charged = sum(charges.map(({ tokens }) => tokens));
    const reserved = sum(open.map(({ tokens }) => tokens));
    const days = docs.flatMap((doc) => Object.entries(doc.days));
    return {
      stored: {
        settled: sum(docs.map(({ settledTokens }) => settledTokens)),
        committed: sum(docs.map(({ committedTokens }) => committedTokens)),
        running: sum(docs.map(({ running }) => running)),
        messages: sum(docs.map(({ messages }) => messages)),
        days: sumBy(days.map(([day, { settled = 0 }]) => [day, settled])),
        committedDays: sumBy(days.map(([day, { committed }]) => [day, committed])),
        kinds: sumBy(docs.flatMap(({ kinds = {} }) => Object.entries(kinds))),
      },
      derived: {
        settled: charged,
        committed: charged + reserved,
        running: open.filter(({ kind }) => kind === 'reply').length,
        messages: sum([...charges, ...open].map(({ messages }) => messages)),
        days: sumBy(charges.map(({ day, tokens }) => [day, tokens])),
        committedDays: sumBy([
          ...charges.map(({ day, tokens }): [string, number] => [day, tokens]),
          ...open.map(({ at, tokens }): [string, number] => [dayOf(at), tokens]),
        ]),
        kinds: sumBy(charges.map(({ kind, tokens }) => [kind, tokens])),
      },
      left: reservations.length,
    };
  };
}

/** Periods without a charge have no kinds. */
interface StoredSums extends Omit<UsageSums, 'days' | 'kinds'> {
  days: Record<string, { settled?: number; committed: number }>;
  kinds?: UsageSums['kinds'];
  reservations?: Reservation[];
}

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);

/** Without sums of zero. */
function sumBy(pairs: [string, number][]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const [key, tokens] of pairs) sums.set(key, (sums.get(key) ?? 0) + tokens);
  return Object.fromEntries([...sums].filter(([, tokens]) => tokens !== 0));
}
