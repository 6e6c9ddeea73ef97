import type * as z from 'zod';

/** A kind of job: its queue's name, the shape of its payload (ids only) and how its workers treat it. */
export interface JobDefinition<Payload> {
  name: string;
  schema: z.ZodType<Payload>;
  /** The user whom a payload names; left out for jobs that name none. */
  userOf?: (payload: Payload) => string;
  /**
   * A job that fails is tried again, up to `attempts` times in all, first after `firstMs`, then with doubled delays.
   */
  retry?: { attempts: number; firstMs: number };
  /** Jobs of this kind that one worker runs at once. */
  concurrency: number;
  /** How long a worker owns a job without renewing its lock; BullMQ renews it at half of this. */
  lockMs: number;
  /** How often the queue looks for jobs without a lock and delivers them again. */
  stallCheckMs: number;
  /** How often a job may lose its worker before BullMQ drops it. */
  maxStalls: number;
}

const DEFAULTS = { concurrency: 5, lockMs: 8_000, stallCheckMs: 3_000, maxStalls: 2 };

type Defaulted = keyof typeof DEFAULTS;
type Definition<Payload> = Omit<JobDefinition<Payload>, Defaulted> &
  Partial<Pick<JobDefinition<Payload>, Defaulted>>;

/** Names a kind of job once, for its producers and its workers. */
export const defineJob = <Payload>(definition: Definition<Payload>): JobDefinition<Payload> => ({
  ...DEFAULTS,
  ...definition,
});

/** The prefix of a queue's keys in Redis; the hash tag keeps a queue in one slot of a Redis Cluster. */
export const queuePrefix = ({ name }: { name: string }): string => `{${name}}`;

/** Thrown by a job's handler: the job is put back and delivered again after `delayMs`. */
export class RunLaterError extends Error {
  override name = 'RunLaterError';
  constructor(readonly delayMs: number) {
    super(`The job runs again in ${delayMs} ms.`);
  }
}
