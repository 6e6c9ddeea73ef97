import { createFairQueue } from '../../jobs/fair-queue.ts';
import { createMongoMessageSearch, defineSearchModel } from '../../search/index.ts';
import type { Core } from '../define-feature.ts';
import type { FilesService } from '../files/index.ts';
import type { UsageService } from '../usage/index.ts';
import { createConversationStore, defineConversationModel } from './conversations/index.ts';
import {
  createActiveReplies,
  createFinisher,
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
} from './messages/index.ts';
import { createStepStore, postStepJob } from './post-steps/index.ts';
import { createUnindexedStore } from './search/index.ts';

/** What the chat needs of other features. */
export interface Others {
  usage: UsageService;
  files: FilesService;
}

export const defineModels = (connection: Core['connection']) => ({
  conversations: defineConversationModel(connection),
  messages: defineMessageModel(connection),
  searchEntries: defineSearchModel(connection),
});

/** What the parts of the chat share. */
export function createChat(
  { models, config, log, now, redis, bus, produce }: Core & { models: ChatModels },
  { usage }: Others,
) {
  const conversations = createConversationStore(models.conversations);
  const sends = createSendStore(models.messages);
  const replies = createReplyStore(models.messages);
  const replyLog = createReplyLog(redis);
  const producer = produce(replyJob);
  const fairQueue = createFairQueue(redis, replyJob, { weights: LANE_WEIGHTS });
  return {
    conversations,
    messages: createMessageTree(models.messages),
    sends,
    replies,
    steps: createStepStore(models.messages),
    unindexed: createUnindexedStore(models.messages),
    search: createMongoMessageSearch(models.searchEntries),
    replyLog,
    finisher: createFinisher({ replies, usage, replyLog, bus, now, log }),
    completeSend: createSendCompletion({ sends, conversations, bus }),
    producer,
    fairQueue,
    queue: createReplyQueue({ producer, fairQueue, bus, log }),
    stepProducer: produce(postStepJob),
    limits: { contextTokens: config.CONTEXT_TOKENS, maxReplyTokens: config.MAX_REPLY_TOKENS },
    /** For usage: which replies are queued or running. */
    activeReplies: createActiveReplies(models.messages),
  };
}

type ChatModels = ReturnType<typeof defineModels>;
