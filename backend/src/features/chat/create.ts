import { createTaskQueue } from '../../jobs/durable.ts';
import { createFairQueue } from '../../jobs/fair-queue.ts';
import type { Core } from '../define-feature.ts';
import type { FilesService } from '../files/index.ts';
import type { UsageService } from '../usage/index.ts';
import { type Others as ChatOthers, createChatFeature, type defineModels } from './feature.ts';
import {
  createActiveReplies,
  createConversationRemoval,
  createDepthTimes,
  createFinisher,
  createMemoriesUndone,
  createReplyLog,
  createReplyQueue,
  createReplyStore,
  LANE_WEIGHTS,
  replyJob,
  withLiveText,
} from './generation/index.ts';
import { type CompleteSend, completeSend } from './messages/index.ts';
import { createStepRequests, createStepStore, postStepJob, stepJobId } from './post-steps/index.ts';

/** What the chat needs of other features. */
export interface Others extends ChatOthers {
  usage: UsageService;
  files: FilesService;
}

/** The object of conversations and messages, and what the generation shares. Each has what the other one calls as members. */
export function createChat(
  core: Core & { models: ReturnType<typeof defineModels> },
  others: Others,
) {
  const { models, log, now, redis, bus, produce } = core;
  const { usage, personas } = others;
  const replies = createReplyStore(models.messages);
  const steps = createStepStore(models.messages);
  const replyLog = createReplyLog(redis);
  const producer = produce(replyJob);
  const fairQueue = createFairQueue(redis, replyJob, { weights: LANE_WEIGHTS });
  const queue = createReplyQueue({ producer, fairQueue, bus, log });
  const stepQueue = createTaskQueue(postStepJob, {
    log,
    producer: produce(postStepJob),
    idOf: stepJobId,
  });
  const chat = createChatFeature(core, others, {
    takePriority: queue.takePriority,
    enqueue: queue.enqueue,
    withLiveText: (reply) => withLiveText(reply, replyLog),
    stopReplies: (scope) => removal.stopReplies(scope),
    removeMessages: (scope) => removal.removeMessages(scope),
    removeLogs: replyLog.remove,
  });
  const { conversations, messages } = chat;
  const removal = createConversationRemoval({ replies, messages, replyLog, redis });
  const complete: CompleteSend = (reply) => completeSend(chat, reply);
  return {
    ...chat,
    personas,
    replies,
    steps,
    /** For features whose post-steps users ask for. */
    requestStep: createStepRequests({ steps, messages, conversations, stepQueue, bus, now }),
    replyLog,
    finisher: createFinisher({ replies, usage, replyLog, now, log }),
    completeSend: complete,
    producer,
    fairQueue,
    queue,
    depthTimes: createDepthTimes(redis, log),
    /** For the memory. */
    markMemoriesUndone: createMemoriesUndone({ replies, messages, bus }),
    stepQueue,
    /** For usage: which replies are queued or running. */
    activeReplies: createActiveReplies(models.messages),
  };
}
