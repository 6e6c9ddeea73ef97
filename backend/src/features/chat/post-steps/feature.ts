import { createTaskQueue } from '../../../jobs/durable.ts';
import type { Core } from '../../define-feature.ts';
import type { AsksWorkspaces, ConversationStore } from '../conversations/index.ts';
import type { MessageModel, MessageTree } from '../messages/index.ts';
import { postStepJob, stepJobId } from './job.ts';
import { createStepStore } from './model.ts';

/** The object of post-steps; functions take it as their first parameter. */
export type StepsFeature = ReturnType<typeof createStepsFeature>;

export const createStepsFeature = (
  {
    models,
    bus,
    log,
    now,
    produce,
  }: Pick<Core, 'bus' | 'log' | 'now' | 'produce'> & { models: { messages: MessageModel } },
  stores: AsksWorkspaces & { conversations: ConversationStore; messages: MessageTree },
) => ({
  conversations: stores.conversations,
  messages: stores.messages,
  others: { workspaces: stores.others.workspaces },
  steps: createStepStore(models.messages),
  stepQueue: createTaskQueue(postStepJob, { log, producer: produce(postStepJob), idOf: stepJobId }),
  bus,
  log,
  now,
});
