import type { Migration } from '../../db/migrate.ts';

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

export const usageMigrations: readonly Migration[] = [splitSums];
