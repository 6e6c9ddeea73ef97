import * as z from 'zod';
import { defineJob } from '../../../jobs/define-job.ts';

/** Applies a stored event of the payment provider. */
export const paymentEventJob = defineJob({
  name: 'payment-events',
  schema: z.object({ eventId: z.string() }),
});
