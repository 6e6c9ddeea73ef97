import { defineDailyRunModel } from '../../db/daily-runs.ts';
import type { Connection } from '../../db/mongo.ts';

/** What a nightly comparison of the sums with the ledger has found. */
export interface AuditCounts {
  /** Documents of sums that have changed since the comparison before. */
  compared: number;
  /** Documents whose sums differed from the ledger and were corrected. */
  repaired: number;
  /** Documents that changed during every comparison; the next night compares them. */
  busy: number;
  /** By how many charged tokens the sums differed, regardless of the sign. */
  repairedTokens: number;
}

export const defineAuditModel = (connection: Connection) =>
  defineDailyRunModel(connection, { name: 'UsageAudit', collection: 'usage_audits' });
