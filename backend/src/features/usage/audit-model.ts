import { defineDailyRunModel } from '../../db/daily-runs.ts';
import type { Connection } from '../../db/mongo.ts';

/** The counts of one nightly audit of the sums against the ledger. */
export interface AuditCounts {
  /** Documents of sums that have changed since the previous audit. */
  compared: number;
  /** Documents whose sums differed from the ledger and were corrected. */
  repaired: number;
  /** Documents that changed during every attempt; the next night compares them. */
  busy: number;
  /** The sum of the absolute differences, in charged tokens. */
  repairedTokens: number;
}

export const defineAuditModel = (connection: Connection) =>
  defineDailyRunModel(connection, { name: 'UsageAudit', collection: 'usage_audits' });
