import { ensureQueued, type JobProducer } from '../../../jobs/producer.ts';
import { sweepEach } from '../../../jobs/sweep-each.ts';
import { type StepKey, SWEEP_AFTER_MS, stepJobId } from './job.ts';
import type { StepStore } from './model.ts';

export const STEP_SWEEP_EVERY_MS = 5_000;
const BATCH = 200;

interface StepSweeperDeps {
  steps: Pick<StepStore, 'findDue' | 'leaseDue'>;
  stepProducer: Pick<JobProducer<StepKey>, 'canRun' | 'remove' | 'add'>;
  now: () => Date;
}

/**
 * Enqueues pending post-steps that have no job: their worker was lost before it enqueued them, or the queue has lost
 * them. Several sweepers may run: each step is handled by one of them.
 */
export function createStepSweeper({ steps, stepProducer, now }: StepSweeperDeps) {
  const revive = async (key: StepKey) => {
    const at = now();
    const sweepAt = new Date(at.getTime() + SWEEP_AFTER_MS);
    if (!(await steps.leaseDue(key, { now: at, sweepAt }))) return;
    const jobId = stepJobId(key);
    await ensureQueued(stepProducer, jobId, () => stepProducer.add(jobId, key));
  };

  return async (): Promise<void> =>
    sweepEach(await steps.findDue({ now: now(), limit: BATCH }), revive);
}
