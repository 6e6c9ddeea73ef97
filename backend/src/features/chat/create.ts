import { guestContextTokens } from '../../config.ts';
import { createTaskQueue } from '../../jobs/durable.ts';
import { createFairQueue } from '../../jobs/fair-queue.ts';
import { createMongoMessageSearch, defineSearchModel } from '../../search/index.ts';
import type { Core } from '../define-feature.ts';
import type { FilesService } from '../files/index.ts';
import type { UsageService } from '../usage/index.ts';
import { createConversationStore, defineConversationModel } from './conversations/index.ts';
import {
  createActiveReplies,
  createDepthTimes,
  createFinisher,
  createMemoriesUndone,
  createReplyLog,
  createReplyQueue,
  createReplyStore,
  LANE_WEIGHTS,
  replyJob,
} from './generation/index.ts';
import {
  createMessageTree,
  createSendCompletion,
  createSendStore,
  defineMessageModel,
  type PersonaChoice,
} from './messages/index.ts';
import { createStepRequests, createStepStore, postStepJob, stepJobId } from './post-steps/index.ts';
import { createUnindexedStore } from './search/index.ts';

/** What the chat needs of other features. */
export interface Others {
  usage: UsageService;
  files: FilesService;
  personas: PersonaChoice;
}

export const defineModels = (connection: Core['connection']) => ({
  conversations: defineConversationModel(connection),
  messages: defineMessageModel(connection),
  searchEntries: defineSearchModel(connection),
});

/** What the parts of the chat share. */
export function createChat(
  { models, config, log, now, redis, bus, produce }: Core & { models: ChatModels },
  { usage, personas, files }: Others,
) {
  const conversations = createConversationStore(models.conversations);
  const sends = createSendStore(models.messages);
  const replies = createReplyStore(models.messages);
  const replyLog = createReplyLog(redis);
  const producer = produce(replyJob);
  const fairQueue = createFairQueue(redis, replyJob, { weights: LANE_WEIGHTS });
  const messages = createMessageTree(models.messages);
  const steps = createStepStore(models.messages);
  const stepQueue = createTaskQueue(postStepJob, {
    log,
    producer: produce(postStepJob),
    idOf: stepJobId,
  });
  const search = createMongoMessageSearch(models.searchEntries);
  return {
    conversations,
    personas,
    messages,
    sends,
    replies,
    steps,
    /** For features whose post-steps users ask for. */
    requestStep: createStepRequests({
      steps,
      messages,
      conversations,
      stepQueue,
      bus,
      now,
    }),
    unindexed: createUnindexedStore(models.messages),
    search,
    replyLog,
    finisher: createFinisher({ replies, usage, replyLog, now, log }),
    completeSend: createSendCompletion({
      sends,
      conversations,
      search,
      files,
      replyLog,
      usage,
      bus,
    }),
    producer,
    fairQueue,
    queue: createReplyQueue({ producer, fairQueue, bus, log }),
    limits: {
      contextTokens: config.CONTEXT_TOKENS,
      guestContextTokens: guestContextTokens(config),
      maxReplyTokens: longestReplies(config),
    },
    depthTimes: createDepthTimes(redis, log),
    /** For the memory. */
    markMemoriesUndone: createMemoriesUndone({ replies, messages, bus }),
    stepQueue,
    /** For usage: which replies are queued or running. */
    activeReplies: createActiveReplies(models.messages),
  };
}

/** Longest reply of each depth, in tokens. */
const longestReplies = ({
  MAX_REPLY_TOKENS: balanced,
  MAX_REPLY_TOKENS_FAST: fast = Math.ceil(balanced / 2),
  MAX_REPLY_TOKENS_DEEP: deep = 2 * balanced,
}: Core['config']) => ({ fast, balanced, deep });

type ChatModels = ReturnType<typeof defineModels>;
