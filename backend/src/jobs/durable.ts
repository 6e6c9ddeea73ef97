import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { type JobDefinition, RunLaterError } from './define-job.ts';
import type { Attempt, Change, TaskStore } from './durable-model.ts';
import { ensureQueued, type JobProducer } from './producer.ts';
import { sweepEach } from './sweep-each.ts';

/** A worker that shows no heartbeat for so long has lost its task, unless the task says otherwise. */
const LEASE_MS = 8_000;
const HEARTBEATS_PER_LEASE = 8;
/** A task whose job is late by this much is looked for by the sweep. */
export const SWEEP_AFTER_MS = 10_000;
const BATCH = 200;
/** While the database is unreachable, the end of an attempt is stored later, for half a minute. */
const MAX_STORES = 15;
const STORE_PAUSE_MS = 2_000;
/** A job that is delivered again while its worker runs is delayed at least this long. */
export const MIN_DELAY_MS = 500;

/** How an attempt ends that does not fail: for good, or to be followed by another one, which counts nothing. */
export type Outcome = { end: Change } | { again: Change; delayMs: number };

/** An attempt as its task sees it. */
export interface Running<Key, Doc> extends Attempt<Key, Doc> {
  /** Aborted when the attempt has lost its task, or the worker stops. */
  signal: AbortSignal;
  /** Stores a change with the next heartbeat; a later one takes its place. */
  report: (change: Change) => void;
}

/** One kind of durable task (decision 49). */
export interface DurableTask<Key, Doc> {
  tasks: TaskStore<Key, Doc>;
  queue: TaskQueue<Key>;
  leaseMs?: number;
  heartbeatMs?: number;
  /** Failures after which another attempt follows. */
  retries: number;
  retryMs: (failures: number) => number;
  /** Attempts that may lose their worker: the task may be what ends it. */
  maxLost: number;
  /** What it rejects with is a failure, unless the worker stops. */
  run: (running: Running<Key, Doc>) => Promise<Outcome>;
  /** What is stored besides when an attempt starts, and when it is followed by another one because it failed or was interrupted. */
  starting?: (key: Key) => Change;
  waiting?: (error: unknown) => Change;
  /** What is stored of a task that is given up. */
  givenUp: (error: unknown, key: Key) => Change;
  /** Called when an attempt has started, and with each report that was stored. */
  onProgress?: (doc: Doc) => Promise<void>;
  /** Called when an attempt has made its last change, with the document as it is then; again after an error. */
  onEnd?: (doc: Doc, change: Change) => Promise<void>;
  /** Called when the document does not exist any more: an attempt may have left something. */
  onGone?: (key: Key) => Promise<void>;
  now: () => Date;
  log: Pick<Log, 'warn' | 'error'>;
  sleep?: (ms: number) => Promise<unknown>;
}

/** Another attempt has followed, or the task was removed. */
export class LostError extends Error {
  override name = 'LostError';
}

/** A task was given up because it has lost its worker too often. */
export class LostWorkersError extends Error {
  override name = 'LostWorkersError';
}

/** Runs the jobs of a kind of durable task. */
export function durable<Key, Doc>(task: DurableTask<Key, Doc>) {
  const { tasks, queue, leaseMs = LEASE_MS, now, log } = task;
  const stopping = new AbortController();
  const after = (ms: number) => new Date(now().getTime() + ms);
  const about = ({ key, attempt }: Attempt<Key, Doc>) => ({ ...queue.placeOf(key), attempt });

  /** Makes the last change of an attempt. @returns whether the attempt still had its task */
  const store = async (
    attempt: Attempt<Key, Doc>,
    change: Change,
    write: () => Promise<Doc | null>,
  ) => {
    for (let stores = 1; ; stores += 1)
      try {
        const changed = await write();
        // When an answer of the database was lost, the change is made and expects another state now.
        const doc = changed ?? (await tasks.find(attempt.key));
        await (doc ? task.onEnd?.(doc, change) : task.onGone?.(attempt.key));
        return changed !== null;
      } catch (error) {
        // After the last one, another worker takes the task over.
        if (stores === MAX_STORES) throw error;
        log.warn({ err: error, ...about(attempt) }, 'the end of an attempt is not stored yet');
        await (task.sleep ?? sleep)(STORE_PAUSE_MS);
      }
  };

  const putBack = async (
    attempt: Attempt<Key, Doc>,
    { delayMs, isFailure, change = {} }: { delayMs: number; isFailure: boolean; change?: Change },
  ) => {
    const dueAt = after(delayMs + SWEEP_AFTER_MS);
    if (await store(attempt, change, () => tasks.putBack(attempt, { dueAt, isFailure }, change)))
      throw new RunLaterError(delayMs);
  };

  const end = (attempt: Attempt<Key, Doc>, change: Change) =>
    store(attempt, change, () => tasks.end(attempt, change));

  const giveUp = async (attempt: Attempt<Key, Doc>, error: unknown) => {
    if (await end(attempt, task.givenUp(error, attempt.key)))
      log.error({ err: error, ...about(attempt) }, 'a task was given up');
  };

  const fail = async (attempt: Attempt<Key, Doc>, error: unknown) => {
    const change = task.waiting?.(error) ?? {};
    if (stopping.signal.aborted) return putBack(attempt, { delayMs: 0, isFailure: false, change });
    const failures = attempt.failures + 1;
    if (failures > task.retries) return giveUp(attempt, error);
    const delayMs = task.retryMs(failures);
    log.warn({ err: error, ...about(attempt), delayMs }, 'a task failed and is tried again');
    return putBack(attempt, { delayMs, isFailure: true, change });
  };

  const runStarted = async (attempt: Attempt<Key, Doc>) => {
    const { key, lost } = attempt;
    if (lost >= task.maxLost)
      return giveUp(attempt, new LostWorkersError(`${lost} attempts have lost their worker.`));
    const heartbeat = startHeartbeat(task, { attempt, after });
    const signal = AbortSignal.any([stopping.signal, heartbeat.lost]);
    const { report } = heartbeat;
    const onUnpublished = (error: unknown) =>
      log.warn({ err: error, ...about(attempt) }, 'the start of an attempt was not published');
    await task.onProgress?.(attempt.doc).catch(onUnpublished);
    let outcome: Outcome | { error: unknown };
    try {
      outcome = await task.run({ ...attempt, signal, report });
    } catch (error) {
      outcome = { error };
    }
    await heartbeat.stop();
    if (heartbeat.lost.aborted) {
      if (!(await tasks.find(key))) await task.onGone?.(key);
    } else if ('error' in outcome) await fail(attempt, outcome.error);
    else if ('again' in outcome)
      await putBack(attempt, { ...outcome, change: outcome.again, isFailure: false });
    else await end(attempt, outcome.end);
  };

  /** The task does not wait: it has ended, was removed, or its worker is alive. */
  const leaveAlone = async (key: Key) => {
    const heartbeatAt = await tasks.heartbeatOf(key);
    if (heartbeatAt) {
      const lostInMs = heartbeatAt.getTime() + leaseMs - now().getTime();
      throw new RunLaterError(Math.max(MIN_DELAY_MS, lostInMs));
    }
    if (!(await tasks.find(key))) await task.onGone?.(key);
  };

  return {
    /**
     * Runs one job: starts an attempt when the task waits or has lost its worker. Nothing happens when it has ended.
     * @throws RunLaterError when another attempt follows, and while another worker runs it
     */
    run: async (key: Key): Promise<void> => {
      const at = { now: now(), lostBefore: after(-leaseMs), dueAt: after(leaseMs) };
      const started = await tasks.start(key, at, task.starting?.(key) ?? {});
      return started ? runStarted(started) : leaveAlone(key);
    },

    /** Ends every attempt; other workers start again. */
    releaseAll: (): void => stopping.abort(new Error('The worker stops.')),
  };
}

/** Keeps the lease of an attempt, and stores what it reports. `lost` is aborted when it does not have its task any more. */
function startHeartbeat<Key, Doc>(
  { tasks, queue, now, log, onProgress, ...task }: DurableTask<Key, Doc>,
  { attempt, after }: { attempt: Attempt<Key, Doc>; after: (ms: number) => Date },
) {
  const { leaseMs = LEASE_MS, heartbeatMs = leaseMs / HEARTBEATS_PER_LEASE } = task;
  const lost = new AbortController();
  let reported: Change | undefined;
  let beating: Promise<void> | undefined;

  const beat = async () => {
    const change = reported;
    const doc = await tasks.heartbeat(attempt, { now: now(), dueAt: after(leaseMs) }, change);
    if (!doc) return lost.abort(new LostError('Another attempt has followed.'));
    if (!change) return;
    if (reported === change) reported = undefined;
    await onProgress?.(doc);
  };
  const timer = setInterval(() => {
    beating ??= beat()
      .catch((error: unknown) =>
        log.warn({ err: error, ...queue.placeOf(attempt.key) }, 'a heartbeat failed'),
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
    /** Resolves when nothing is stored any more. */
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await beating;
    },
  };
}

/** The jobs of a kind of durable task. */
export interface TaskQueue<Key> {
  /** Enqueues a task that was just stored. When Redis is unreachable, the sweep does it later. */
  enqueue: (key: Key, options?: { delayMs?: number }) => Promise<void>;
  /** Enqueues a task unless a job of it can run. */
  ensure: (key: Key) => Promise<void>;
  /** Names the job of a task in the log. */
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
          log.warn({ err: error, ...placeOf(key) }, 'a task is enqueued later'),
        ),
    ensure: (key) => ensureQueued(producer, idOf(key), () => producer.add(idOf(key), key)),
  };
}

/**
 * Enqueues tasks that are due and have no job: they were never enqueued, or the queue has lost them with their worker. Several
 * sweeps may run: each task is handled by one of them, and what fails is due again later, behind all others.
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
