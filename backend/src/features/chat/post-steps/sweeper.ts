import type { JobProducer } from '../../../jobs/producer.ts';
import type { Log } from '../../../log.ts';
import { type StepKey, SWEEP_AFTER_MS, stepJobId } from './job.ts';
import type { StepStore } from './model.ts';

export const STEP_SWEEP_EVERY_MS = 5_000;
const BATCH = 200;

interface StepSweeperDeps {
  steps: Pick<StepStore, 'findDue' | 'leaseDue'>;
  stepProducer: Pick<JobProducer<StepKey>, 'canRun' | 'remove' | 'add'>;
  now: () => Date;
  log: Log;
}

/**
 * Enqueues pending post-steps that have no job: their worker was lost before it enqueued them, or the queue has lost
 * them. Several sweepers may run: each step is handled by one of them.
 */
export function createStepSweeper({ steps, stepProducer, now, log }: StepSweeperDeps) {
  const revive = async (key: StepKey) => {
    const at = now();
    const sweepAt = new Date(at.getTime() + SWEEP_AFTER_MS);
    if (!(await steps.leaseDue(key, { now: at, sweepAt }))) return;
    const jobId = stepJobId(key);
    if (await stepProducer.canRun(jobId)) return;
    // A job that exists but cannot run would keep its id from being used again.
    await stepProducer.remove(jobId);
    await stepProducer.add(jobId, key);
  };

  return async (): Promise<void> => {
    for (const key of await steps.findDue({ now: now(), limit: BATCH }))
      await revive(key).catch((error: unknown) =>
        log.warn({ err: error, ...key }, 'a post-step could not be enqueued again'),
      );
  };
}
