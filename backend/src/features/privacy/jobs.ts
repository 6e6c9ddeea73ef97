import * as z from 'zod';
import { defineJob } from '../../jobs/define-job.ts';

/** Makes the export of one user. */
export const exportJob = defineJob({
  name: 'data-exports',
  schema: z.object({ ownerId: z.string(), exportId: z.string() }),
  userOf: ({ ownerId }) => ownerId,
  concurrency: 2,
});

/** Erases one deleted account. The payload names the receipt only. */
export const deletionJob = defineJob({
  name: 'account-deletions',
  schema: z.object({ receiptId: z.string() }),
});
