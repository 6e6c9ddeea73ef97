import type * as z from 'zod';

/** A kind of job: its queue's name and the shape of its payload, which carries ids only. */
export interface JobDefinition<Payload> {
  name: string;
  schema: z.ZodType<Payload>;
  /** A job that fails is tried again, up to `attempts` times in all, first after `firstMs`, then twice as late each time. */
  retry?: { attempts: number; firstMs: number };
}

/** Names a kind of job once, for its producers and its workers. */
export const defineJob = <Payload>(definition: JobDefinition<Payload>): JobDefinition<Payload> =>
  definition;
