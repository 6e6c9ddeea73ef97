import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import type { Redis } from '../db/redis.ts';
import { type JobDefinition, queuePrefix, RunLaterError } from './define-job.ts';
import type { LoopDelay } from './loop-delay.ts';
import { pauseWhenNeeded } from './pauses.ts';
import type { SharedLimit } from './shared-limit.ts';

export interface JobWorker {
  /** Takes no further jobs and resolves when the running ones are done. */
  close: () => Promise<void>;
}

/** How long a job waits that a worker cannot read, and how long after it was enqueued it is given up. */
const UNREADABLE_WAIT_MS = 10_000;
const UNREADABLE_KEPT_MS = 24 * 3600 * 1_000;

interface WorkerOptions<Payload> {
  /** A connection that waits for Redis, so that the worker survives restarts of Redis. */
  redis: Redis;
  /** Replaces the definition's own. */
  concurrency?: number;
  /** May throw a RunLaterError. */
  handle: (payload: Payload) => Promise<void>;
  /** Called with the priority, if any, of each starting job; the job does not wait for it. */
  onStart?: OnStart | undefined;
  /** The priority of a job that runs again later; by default it starts before all waiting ones. */
  nextPriority?: ((payload: Payload) => Promise<number>) | undefined;
  /** With it, jobs are taken only while the event loop is free; `concurrency` is the upper bound. */
  loopDelay?: LoopDelay | undefined;
  /** With it, the worker runs jobs only while one of these places is free. */
  limit?: SharedLimit | undefined;
  onError: OnJobError;
}

/** The origin of an error: a job, or the worker of a queue itself. */
export interface ErrorPlace {
  queue: string;
  jobId?: string | undefined;
  attempt?: number;
}

type OnJobError = (error: unknown, place: ErrorPlace) => void;

type OnStart = (priority: number) => Promise<void>;

/** A kind of job with its handler, ready for any worker process. */
export interface JobRun {
  queue: string;
  start: (options: { redis: Redis; onError: OnJobError }) => Promise<JobWorker>;
  /** Called when jobs run longer than a stopping process waits: returns them to other workers. */
  releaseAll?: () => void;
}

interface RunOptions<Payload>
  extends Pick<WorkerOptions<Payload>, 'concurrency' | 'onStart' | 'nextPriority'>,
    Pick<JobRun, 'releaseAll'> {}

/** Defines the handler of a kind of job. */
export function runJob<Payload>(
  definition: JobDefinition<Payload>,
  handle: (payload: Payload) => Promise<void>,
  { releaseAll, ...settings }: RunOptions<Payload> = {},
): JobRun {
  return {
    queue: definition.name,
    start: (options) => startWorker(definition, { ...settings, ...options, handle }),
    ...(releaseAll && { releaseAll }),
  };
}

/** Runs jobs of one kind: parses the payload, calls `handle`. */
export async function startWorker<Payload>(
  definition: JobDefinition<Payload>,
  options: WorkerOptions<Payload>,
): Promise<JobWorker> {
  const { name: queue } = definition;
  const { redis, concurrency = definition.concurrency, loopDelay, limit, onError } = options;
  const { onStart, nextPriority } = options;
  let running = 0;
  const onQueueError = (error: unknown) => onError(error, { queue });
  const run = async (job: Job, token?: string) => {
    if (!limit) return runOne(job, token);
    if (!limit.enter()) {
      // It was fetched before the worker of another queue took the last place.
      await job.moveToWait(token);
      throw new WaitingError();
    }
    try {
      return await runOne(job, token);
    } finally {
      limit.leave();
    }
  };
  const runOne = async (job: Job, token?: string) => {
    const { priority } = job;
    const payload = await readPayload(definition, job, { token, onUnreadable: onQueueError });
    if (priority > 0) onStart?.(priority).catch(onQueueError);
    running += 1;
    try {
      await options.handle(payload);
    } catch (error) {
      if (!(error instanceof RunLaterError)) throw error;
      // Without a next priority the job has used its turn, so after the delay it starts before all waiting ones.
      const next = await nextPriority?.(payload);
      if (next || priority > 0) await job.changePriority({ priority: next ?? 0 });
      await job.moveToDelayed(Date.now() + error.delayMs, token);
      throw new DelayedError();
    } finally {
      running -= 1;
    }
  };
  const worker = new Worker(queue, run, {
    connection: redis,
    prefix: queuePrefix(definition),
    concurrency,
    lockDuration: definition.lockMs,
    stalledInterval: definition.stallCheckMs,
    maxStalledCount: definition.maxStalls,
  });
  worker.on('error', onQueueError);
  pauseWhenNeeded(worker, { loopDelay, limit, running: limit?.running ?? (() => running) });
  worker.on('failed', (job, error) =>
    onError(error, { queue, ...(job && { jobId: job.id, attempt: job.attemptsMade }) }),
  );
  await worker.waitUntilReady();
  return { close: () => worker.close() };
}

/**
 * The payload of a job. One that this worker cannot read goes back to its queue: a newer version has enqueued it, whose workers can. It is
 * given up a day after it was enqueued.
 */
async function readPayload<Payload>(
  { name, schema }: JobDefinition<Payload>,
  job: Job,
  { token, onUnreadable }: { token?: string | undefined; onUnreadable: (error: unknown) => void },
): Promise<Payload> {
  const payload = schema.safeParse(job.data);
  if (payload.success) return payload.data;
  const problem = `This worker cannot read the payload of job ${job.id} in ${name}`;
  if (Date.now() - job.timestamp > UNREADABLE_KEPT_MS)
    throw new UnrecoverableError(`${problem}, nor did any other within a day: ${payload.error}`);
  if (job.attemptsStarted <= 1) onUnreadable(new Error(`${problem}; it goes back to its queue`));
  await job.moveToDelayed(Date.now() + UNREADABLE_WAIT_MS, token);
  throw new DelayedError();
}
