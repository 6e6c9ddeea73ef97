import type { Migration } from '../../db/migrate.ts';
import { type Connection, isMissingIndex } from '../../db/mongo.ts';

/** The former `usage` kept one document per guest, with `spent` tokens that included the `holds` of running replies. */
const splitSums: Migration = {
  id: '0005-usage-periods',
  run: async (connection) => {
    const former = connection.collection<{
      _id: string;
      ownerId: unknown;
      messages: number;
      spent: number;
      holds: { tokens: number }[];
    }>('usage');
    const periods = connection.collection<{ _id: string }>('usage_periods');
    for await (const { _id, ownerId, messages, spent, holds } of former.find({})) {
      // Replies that were running are charged in full when they are settled.
      const settledTokens = spent - holds.reduce((sum, { tokens }) => sum + tokens, 0);
      const sums = { settledTokens, committedTokens: settledTokens, running: 0, reservations: [] };
      await periods.updateOne(
        { _id },
        { $setOnInsert: { ownerId, messages: messages - holds.length, ...sums } },
        { upsert: true },
      );
    }
    await former.deleteMany({});
  },
};

interface FormerEntry {
  _id: string;
  ownerId: unknown;
  usageId: string;
  state: string;
  kind: string;
  promptTokens: number;
  completionTokens: number;
  messages: number;
  closedAt: Date;
  at?: Date;
}

interface FormerPeriod {
  _id: string;
  ownerId: unknown;
  messages: number;
  settledTokens: number;
  version?: number;
  reservations?: FormerReservation[];
}

interface FormerReservation {
  state: string;
  tokens: number;
  messages: number;
  kind?: string;
  at?: Date;
  touchedAt: Date;
  used?: { promptTokens: number; completionTokens: number };
}

/** Entries had no day, no reply and no model, periods no sums by day and kind, and reservations no kind. */
const sumDays: Migration = {
  id: '0009-usage-days',
  run: async (connection) => {
    await completeEntries(connection);
    await connection
      .collection('usage_ledger')
      .dropIndex('ownerId_1')
      .catch((error: unknown) => {
        if (!isMissingIndex(error)) throw error;
      });
    const periods = connection.collection<FormerPeriod>('usage_periods');
    for await (const period of periods.find({ version: { $exists: false } })) {
      const reservations = (period.reservations ?? []).map((one) => ({
        ...one,
        kind: 'reply',
        at: one.touchedAt,
      }));
      const { days, kinds } = await sumsOf(connection, { ...period, reservations });
      await periods.updateOne(
        { _id: period._id },
        { $set: { days, kinds, reservations, version: 0 } },
      );
    }
  },
};

async function completeEntries(connection: Connection): Promise<void> {
  const ledger = connection.collection<FormerEntry>('usage_ledger');
  for await (const { _id, closedAt } of ledger.find({ at: { $exists: false } })) {
    const [replyId, attempt] = _id.split(':');
    const key = { replyId, attempt: Number(attempt), kind: 'reply' };
    const date = { at: closedAt, day: dayOf(closedAt) };
    await ledger.updateOne(
      { _id },
      { $set: { ...key, ...date, cachedTokens: 0, reasoningTokens: 0 } },
    );
  }
}

/**
 * The sums of a period by day and kind. What was charged before there was a ledger gets an entry, so that the sums
 * are those of the entries.
 */
async function sumsOf(connection: Connection, period: FormerPeriod) {
  const ledger = connection.collection<FormerEntry>('usage_ledger');
  const days: Record<string, { settled: number; committed: number }> = {};
  let [charged, messages] = [0, 0];
  const add = (at: Date, { settled, committed }: { settled: number; committed: number }) => {
    const day = days[dayOf(at)] ?? { settled: 0, committed: 0 };
    days[dayOf(at)] = { settled: day.settled + settled, committed: day.committed + committed };
    charged += settled;
  };
  let firstAt = new Date();
  for await (const entry of ledger.find({ usageId: period._id, state: 'settled' })) {
    const tokens = entry.promptTokens + entry.completionTokens;
    const at = entry.at ?? entry.closedAt;
    add(at, { settled: tokens, committed: tokens });
    messages += entry.messages;
    if (at < firstAt) firstAt = at;
  }
  for (const { state, tokens, touchedAt, used, ...one } of period.reservations ?? []) {
    const settled = (used?.promptTokens ?? 0) + (used?.completionTokens ?? 0);
    if (state === 'settled') add(touchedAt, { settled, committed: settled });
    if (state === 'reserved') add(touchedAt, { settled: 0, committed: tokens });
    if (state === 'settled' || state === 'reserved') messages += one.messages;
  }
  const earlier = { tokens: period.settledTokens - charged, messages: period.messages - messages };
  if (earlier.tokens > 0 || earlier.messages > 0) {
    await ledger.updateOne(
      { _id: `${period._id}:0` },
      {
        $setOnInsert: {
          ...openingEntry(period, earlier),
          at: firstAt,
          closedAt: firstAt,
          day: dayOf(firstAt),
        },
      },
      { upsert: true },
    );
    add(firstAt, { settled: earlier.tokens, committed: earlier.tokens });
  }
  return { days, kinds: { reply: charged } };
}

const openingEntry = (
  { _id, ownerId }: FormerPeriod,
  { tokens, messages }: { tokens: number; messages: number },
) => ({
  ownerId,
  usageId: _id,
  replyId: _id,
  attempt: 0,
  kind: 'reply',
  state: 'settled',
  promptTokens: tokens,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  replyTokens: 0,
  messages,
});

const dayOf = (at: Date) => at.toISOString().slice(0, 10);

export const usageMigrations: readonly Migration[] = [splitSums, sumDays];
