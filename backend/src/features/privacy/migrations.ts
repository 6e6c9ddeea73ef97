import type { Migration } from '../../db/migrate.ts';

/** MongoDB's codes for a collection and for an index that do not exist. */
const NOT_FOUND = new Set<unknown>([26, 27]);

/** Drops unused data of earlier versions: two indexes, and the key that signed test events. */
export const unusedData: Migration = {
  id: '0014-unused-data',
  kind: 'expand',
  run: async (connection) => {
    await unlessGone(connection.collection('data_exports').dropIndex('touchedAt_1'));
    await unlessGone(connection.collection('deletion_receipts').dropIndex('nextAt_1'));
    await unlessGone(connection.collection('test_gateway_secrets').drop());
  },
};

async function unlessGone(drop: Promise<unknown>): Promise<void> {
  try {
    await drop;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (!NOT_FOUND.has(code)) throw error;
  }
}
