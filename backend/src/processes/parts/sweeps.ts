import { randomUUID } from 'node:crypto';
import type { Redis } from '../../db/redis.ts';
import type { Sweep } from '../../features/define-feature.ts';
import { createLeadership, withLease } from '../../jobs/leadership.ts';
import { repeat } from './repeat.ts';

/** Another worker leads when the leader has not extended its lead for this long. */
const LEAD_MS = 6_000;
const ASK_EVERY_MS = 1_500;
/** A worker that becomes leader begins with the tasks of the leader within this time, whatever their interval. */
const LEADER_CHECK_MS = 2_000;
/** An attempt at a partition may take this many intervals before another worker begins it too. */
const PARTITION_INTERVALS = 10;

interface Options {
  redis: Redis;
  onError: (error: unknown, sweep: string) => void;
}

/**
 * Starts the periodic tasks of a worker, each as its manifest says (`runBy`). All tasks of the leader are run by the same worker. Around a
 * change of the leader two may run one, which all tasks allow.
 */
export function startSweeps(sweeps: readonly Sweep[], { redis, onError }: Options): () => void {
  const lead = keepAsking(redis, (error) => onError(error, 'leader'));
  const stops = sweeps.map((sweep) =>
    repeat(taskOf(sweep, { redis, leads: lead.leads }), {
      everyMs:
        (sweep.runBy ?? 'leader') === 'leader'
          ? Math.min(sweep.everyMs, LEADER_CHECK_MS)
          : sweep.everyMs,
      onError: (error) => onError(error, sweep.name),
    }),
  );
  return () => {
    for (const stop of [lead.stop, ...stops]) stop();
  };
}

/** What a worker does each time. */
function taskOf(
  sweep: Sweep,
  { redis, leads }: Pick<Options, 'redis'> & { leads: () => boolean },
): () => Promise<void> {
  const { name, everyMs } = sweep;
  if (sweep.runBy === 'each') return sweep.run;
  if (sweep.runBy === 'partitioned') {
    const leaseMs = PARTITION_INTERVALS * everyMs;
    return () =>
      sweep.run((partition, work) =>
        withLease(redis, { name: `${name}:${partition}`, leaseMs }, work),
      );
  }
  let nextAt = 0;
  return async () => {
    if (!leads()) {
      nextAt = 0;
      sweep.onFollow?.();
      return;
    }
    if (performance.now() < nextAt) return;
    // As `repeat`, after the end, whether it failed or not.
    await sweep.run().finally(() => {
      nextAt = performance.now() + everyMs;
    });
  };
}

/** Whether this worker is the leader, as Redis said last. */
function keepAsking(redis: Redis, onError: (error: unknown) => void) {
  const isLeader = createLeadership(redis, { name: 'sweeps', id: randomUUID(), leaseMs: LEAD_MS });
  let leads = false;
  const ask = async () => {
    leads = await isLeader();
  };
  const stop = repeat(ask, {
    everyMs: ASK_EVERY_MS,
    onError: (error) => {
      leads = false;
      onError(error);
    },
  });
  return { leads: () => leads, stop };
}
