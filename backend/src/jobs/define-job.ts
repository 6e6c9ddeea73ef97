import type * as z from 'zod';

/** A kind of job: its queue's name, the shape of its payload (ids only) and the settings of its workers. */
export interface JobDefinition<Payload> {
  name: string;
  schema: z.ZodType<Payload>;
  /** The user whom a payload names; absent for jobs without a user. */
  userOf?: (payload: Payload) => string;
  /** A failed job is retried, up to `attempts` attempts in all, first after `firstMs`, then with doubled delays. */
  retry?: { attempts: number; firstMs: number };
  /** Jobs of this kind that one worker runs at once. */
  concurrency: number;
  /** The time for which a worker owns a job without renewing its lock; BullMQ renews it at half of this. */
  lockMs: number;
  /** The interval in which the queue finds jobs without a lock and redelivers them. */
  stallCheckMs: number;
  /** The number of lost workers after which BullMQ drops a job. */
  maxStalls: number;
}

const DEFAULTS = { concurrency: 5, lockMs: 8_000, stallCheckMs: 3_000, maxStalls: 2 };

type Defaulted = keyof typeof DEFAULTS;
type Definition<Payload> = Omit<JobDefinition<Payload>, Defaulted> &
  Partial<Pick<JobDefinition<Payload>, Defaulted>>;

/** Defines a kind of job for its producers and its workers. */
export const defineJob = <Payload>(definition: Definition<Payload>): JobDefinition<Payload> => ({
  ...DEFAULTS,
  ...definition,
});

/** The prefix of a queue's keys in Redis; the hash tag keeps a queue in one slot of a Redis Cluster. */
export const queuePrefix = ({ name }: { name: string }): string => `{${name}}`;

/** Thrown by a job's handler: the job returns to the queue and is delivered again after `delayMs`. */
export class RunLaterError extends Error {
  override name = 'RunLaterError';
  constructor(readonly delayMs: number) {
    super(`The job runs again in ${delayMs} ms.`);
  }
}
