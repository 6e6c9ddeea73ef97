import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { type JobDefinition, RunLaterError } from './define-job.ts';
import type { Attempt, Change, TaskStore } from './durable-model.ts';
import { ensureQueued, type JobProducer } from './producer.ts';
import { sweepEach } from './sweep-each.ts';

/** A worker without a heartbeat for this long has lost its task, unless the task sets another time. */
const LEASE_MS = 8_000;
const HEARTBEATS_PER_LEASE = 8;
/** A sweep checks a task whose job is overdue by this time. */
export const SWEEP_AFTER_MS = 10_000;
const BATCH = 200;
/** While the database is unreachable, storing the end of an attempt is retried for half a minute. */
const MAX_STORES = 15;
const STORE_PAUSE_MS = 2_000;
/** The minimum delay of a job that is redelivered while its worker runs. */
export const MIN_DELAY_MS = 500;

/** The end of an attempt that does not fail: final, or followed by another attempt, which counts nothing. */
export type Outcome = { end: Change } | { again: Change; delayMs: number };

/** An attempt, for its task. */
export interface Running<Key, Doc> extends Attempt<Key, Doc> {
  /** Aborted when the attempt has lost its task, or the worker stops. */
  signal: AbortSignal;
  /** Stores a change with the next heartbeat; a later one replaces it. */
  report: (change: Change) => void;
}

/** One kind of durable task (decision 49). */
export interface DurableTask<Key, Doc> {
  tasks: TaskStore<Key, Doc>;
  queue: TaskQueue<Key>;
  leaseMs?: number;
  heartbeatMs?: number;
  /** The number of failures after which another attempt follows. */
  retries: number;
  retryMs: (failures: number) => number;
  /** Attempts that may lose their worker, because the task may crash it. */
  maxLost: number;
  /** A rejection is a failure, unless the worker stops. */
  run: (running: Running<Key, Doc>) => Promise<Outcome>;
  /** Additional changes when an attempt starts, and when another one follows because it failed or was interrupted. */
  starting?: (key: Key) => Change;
  waiting?: (error: unknown) => Change;
  /** The changes of a task that is given up. */
  givenUp: (error: unknown, key: Key, doc: Doc) => Change;
  /** Called when an attempt has started, and after each stored report. */
  onProgress?: (doc: Doc) => Promise<void>;
  /** Called after the last change of an attempt, with the updated document; called again after an error. */
  onEnd?: (doc: Doc, change: Change) => Promise<void>;
  /** Called when the document no longer exists, because an attempt may have left data. */
  onGone?: (key: Key) => Promise<void>;
  now: () => Date;
  log: Pick<Log, 'warn' | 'error'>;
  sleep?: (ms: number) => Promise<unknown>;
}

/** Another attempt has started, or the task was removed. */
export class LostError extends Error {
  override name = 'LostError';
}

/** A task was given up because it lost too many workers. */
export class LostWorkersError extends Error {
  override name = 'LostWorkersError';
}

/** Runs the jobs of a kind of durable task. */
export function durable<Key, Doc>(task: DurableTask<Key, Doc>) {
  const stopping = new AbortController();
  const own: StoppableTask<Key, Doc> = { ...task, stopping: stopping.signal };
  const { tasks, leaseMs = LEASE_MS, now } = task;
  return {
    /**
     * Runs one job: starts an attempt when the task waits or has lost its worker. Nothing happens when it has ended.
     * @throws RunLaterError when another attempt follows, and while another worker runs it
     */
    run: async (key: Key): Promise<void> => {
      const at = { now: now(), lostBefore: after(task, -leaseMs), dueAt: after(task, leaseMs) };
      const started = await tasks.start(key, at, task.starting?.(key) ?? {});
      return started ? runStarted(own, started) : leaveAlone(task, key);
    },

    /** Ends every attempt; other workers restart them. */
    releaseAll: (): void => stopping.abort(new Error('The worker stops.')),
  };
}

/** A task whose attempts end when the worker stops. */
interface StoppableTask<Key, Doc> extends DurableTask<Key, Doc> {
  stopping: AbortSignal;
}

const after = ({ now }: Pick<DurableTask<never, never>, 'now'>, ms: number) =>
  new Date(now().getTime() + ms);

/** Identifies an attempt in the log. */
const about = <Key, Doc>(
  { queue }: DurableTask<Key, Doc>,
  { key, attempt }: Attempt<Key, Doc>,
) => ({ ...queue.placeOf(key), attempt });

async function runStarted<Key, Doc>(
  task: StoppableTask<Key, Doc>,
  attempt: Attempt<Key, Doc>,
): Promise<void> {
  const { key, lost } = attempt;
  if (lost >= task.maxLost)
    return giveUp(task, attempt, new LostWorkersError(`${lost} attempts have lost their worker.`));
  const heartbeat = startHeartbeat(task, attempt);
  const signal = AbortSignal.any([task.stopping, heartbeat.lost]);
  const { report } = heartbeat;
  await task.onProgress?.(attempt.doc).catch((error: unknown) => {
    const place = { err: error, ...about(task, attempt) };
    task.log.warn(place, 'start of attempt not published');
  });
  let outcome: Outcome | { error: unknown };
  try {
    outcome = await task.run({ ...attempt, signal, report });
  } catch (error) {
    outcome = { error };
  }
  await heartbeat.stop();
  if (heartbeat.lost.aborted) {
    if (!(await task.tasks.find(key))) await task.onGone?.(key);
  } else if ('error' in outcome) await fail(task, attempt, outcome.error);
  else if ('again' in outcome)
    await putBack(task, attempt, { ...outcome, change: outcome.again, isFailure: false });
  else await end(task, attempt, outcome.end);
}

/** The task does not wait: it has ended, was removed, or its worker is running. */
async function leaveAlone<Key, Doc>(task: DurableTask<Key, Doc>, key: Key): Promise<void> {
  const { tasks, leaseMs = LEASE_MS, now } = task;
  const heartbeatAt = await tasks.heartbeatOf(key);
  if (heartbeatAt) {
    const lostInMs = heartbeatAt.getTime() + leaseMs - now().getTime();
    throw new RunLaterError(Math.max(MIN_DELAY_MS, lostInMs));
  }
  if (!(await tasks.find(key))) await task.onGone?.(key);
}

async function fail<Key, Doc>(
  task: StoppableTask<Key, Doc>,
  attempt: Attempt<Key, Doc>,
  error: unknown,
): Promise<void> {
  const change = task.waiting?.(error) ?? {};
  if (task.stopping.aborted)
    return putBack(task, attempt, { delayMs: 0, isFailure: false, change });
  const failures = attempt.failures + 1;
  if (failures > task.retries) return giveUp(task, attempt, error);
  const delayMs = task.retryMs(failures);
  const place = { err: error, ...about(task, attempt), delayMs };
  task.log.warn(place, 'task failed, will be retried');
  return putBack(task, attempt, { delayMs, isFailure: true, change });
}

async function giveUp<Key, Doc>(
  task: DurableTask<Key, Doc>,
  attempt: Attempt<Key, Doc>,
  error: unknown,
): Promise<void> {
  if (await end(task, attempt, task.givenUp(error, attempt.key, attempt.doc)))
    task.log.error({ err: error, ...about(task, attempt) }, 'task given up');
}

const end = <Key, Doc>(task: DurableTask<Key, Doc>, attempt: Attempt<Key, Doc>, change: Change) =>
  store(task, attempt, { change, write: () => task.tasks.end(attempt, change) });

async function putBack<Key, Doc>(
  task: DurableTask<Key, Doc>,
  attempt: Attempt<Key, Doc>,
  { delayMs, isFailure, change }: { delayMs: number; isFailure: boolean; change: Change },
): Promise<void> {
  const dueAt = after(task, delayMs + SWEEP_AFTER_MS);
  const write = () => task.tasks.putBack(attempt, { dueAt, isFailure }, change);
  if (await store(task, attempt, { change, write })) throw new RunLaterError(delayMs);
}

/**
 * Makes the last change of an attempt.
 * @returns whether the attempt still had its task
 */
async function store<Key, Doc>(
  task: DurableTask<Key, Doc>,
  attempt: Attempt<Key, Doc>,
  { change, write }: { change: Change; write: () => Promise<Doc | null> },
): Promise<boolean> {
  for (let stores = 1; ; stores += 1)
    try {
      const changed = await write();
      // When only an answer of the database was lost, the change is stored and the state differs now.
      const doc = changed ?? (await task.tasks.find(attempt.key));
      await (doc ? task.onEnd?.(doc, change) : task.onGone?.(attempt.key));
      return changed !== null;
    } catch (error) {
      // After the last attempt to store, another worker takes the task over.
      if (stores === MAX_STORES) throw error;
      const place = { err: error, ...about(task, attempt) };
      task.log.warn(place, 'end of attempt not stored yet');
      await (task.sleep ?? sleep)(STORE_PAUSE_MS);
    }
}

/** Keeps the lease of an attempt, and stores its reports. `lost` is aborted when the attempt no longer has its task. */
function startHeartbeat<Key, Doc>(task: DurableTask<Key, Doc>, attempt: Attempt<Key, Doc>) {
  const { tasks, queue, now, log } = task;
  const { leaseMs = LEASE_MS, heartbeatMs = leaseMs / HEARTBEATS_PER_LEASE } = task;
  const lost = new AbortController();
  let reported: Change | undefined;
  let beating: Promise<void> | undefined;

  const beat = async () => {
    const change = reported;
    const doc = await tasks.heartbeat(attempt, { now: now(), dueAt: after(task, leaseMs) }, change);
    if (!doc) return lost.abort(new LostError('Another attempt has followed.'));
    if (!change) return;
    if (reported === change) reported = undefined;
    await task.onProgress?.(doc);
  };
  const timer = setInterval(() => {
    beating ??= beat()
      .catch((error: unknown) =>
        log.warn({ err: error, ...queue.placeOf(attempt.key) }, 'heartbeat failed'),
      )
      .finally(() => {
        beating = undefined;
      });
  }, heartbeatMs);

  return {
    lost: lost.signal,
    report: (change: Change): void => {
      reported = change;
    },
    /** Resolves when all writes have ended. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await beating;
    },
  };
}

/** The jobs of a kind of durable task. */
export interface TaskQueue<Key> {
  /** Enqueues a task that was just stored. When Redis is unreachable, the sweep enqueues it later. */
  enqueue: (key: Key, options?: { delayMs?: number }) => Promise<void>;
  /** Enqueues a task unless it has a runnable job. */
  ensure: (key: Key) => Promise<void>;
  /** Identifies the job of a task in the log. */
  placeOf: (key: Key) => { queue: string; jobId: string };
}

/** @param idOf the id of a task's job: while it exists, no second one is created */
export function createTaskQueue<Key>(
  { name }: Pick<JobDefinition<Key>, 'name' | 'schema'>,
  {
    producer,
    idOf,
    log,
  }: {
    producer: Pick<JobProducer<Key>, 'add' | 'canRun' | 'remove'>;
    idOf: (key: Key) => string;
    log: Pick<Log, 'warn'>;
  },
): TaskQueue<Key> {
  const placeOf = (key: Key) => ({ queue: name, jobId: idOf(key) });
  return {
    placeOf,
    enqueue: (key, options) =>
      producer
        .add(idOf(key), key, options)
        .catch((error: unknown) =>
          log.warn({ err: error, ...placeOf(key) }, 'task will be enqueued later'),
        ),
    ensure: (key) => ensureQueued(producer, idOf(key), () => producer.add(idOf(key), key)),
  };
}

/**
 * Enqueues due tasks without a job: they were never enqueued, or the queue has lost them with their worker. Several sweeps may run: each
 * task is handled by one of them, and a failed one becomes due again later, after all others.
 */
export const createTaskSweep =
  <Key extends object>({
    tasks,
    queue,
    now,
  }: {
    tasks: Pick<TaskStore<Key, unknown>, 'findDue' | 'lease'>;
    queue: Pick<TaskQueue<Key>, 'ensure'>;
    now: () => Date;
  }) =>
  async (): Promise<void> =>
    sweepEach(await tasks.findDue({ now: now(), limit: BATCH }), async (key) => {
      const at = now();
      const dueAt = new Date(at.getTime() + SWEEP_AFTER_MS);
      if (await tasks.lease(key, { now: at, dueAt })) await queue.ensure(key);
    });
