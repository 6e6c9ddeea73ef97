export { pendingSteps, postStepJob, stepJobId } from './job.ts';
export { createStepStore, type StepStore } from './model.ts';
export { createStepRequests, type RequestStep } from './request.ts';
export { createPostSteps, type PostSteps, RUN_LIMIT_MS } from './runner.ts';
