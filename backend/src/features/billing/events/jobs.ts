import * as z from 'zod';
import { defineJob } from '../../../jobs/define-job.ts';

/** Twelve tries within about three hours: the provider may be unreachable for a while. */
export const MAX_EVENT_TRIES = 12;

/** An event that has lost its worker so often is given up: it may be what ends the worker. */
export const MAX_LOST_RUNS = 3;

/** Applies a stored event of the payment provider. */
export const paymentEventJob = defineJob({
  name: 'payment-events',
  schema: z.object({ eventId: z.string() }),
  retry: { attempts: MAX_EVENT_TRIES, firstMs: 5_000 },
});
