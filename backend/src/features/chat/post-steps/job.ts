import * as z from 'zod';
import { defineJob } from '../../../jobs/define-job.ts';
import { SWEEP_AFTER_MS } from '../../../jobs/durable.ts';

/** Runs one post-step of one reply. */
export const postStepJob = defineJob({
  name: 'post-steps',
  schema: z.object({
    replyId: z.string(),
    conversationId: z.string(),
    attempt: z.int(),
    step: z.string(),
  }),
  concurrency: 5,
});

/** One post-step of one reply; the attempt is the one that completed the reply. */
export type StepKey = z.infer<typeof postStepJob.schema>;

export const stepJobId = ({ replyId, attempt, step }: StepKey): string =>
  `${replyId}.${attempt}.${step}`;

/** The stored form of a reply's steps when it completes. */
export const pendingSteps = (names: readonly string[], now: Date) =>
  names.map((name) => ({ name, tries: 0, sweepAt: new Date(now.getTime() + SWEEP_AFTER_MS) }));
