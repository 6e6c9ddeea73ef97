export { createStepsFeature } from './feature.ts';
export { pendingSteps, postStepJob } from './job.ts';
export type { StepStore } from './model.ts';
export { type RequestStep, requestStep } from './request.ts';
export { createPostSteps, type PostSteps, RUN_LIMIT_MS } from './runner.ts';
