import { createFairQueue } from '../../jobs/fair-queue.ts';
import type { Core } from '../define-feature.ts';
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

/** What the chat needs of other features. */
export interface Others {
  usage: UsageService;
  /** Tells the user's tabs what is used after a reply was charged. */
  accounts: { tellUsage: (userId: string) => void };
}

export const defineModels = (connection: Core['connection']) => ({
  conversations: defineConversationModel(connection),
  messages: defineMessageModel(connection),
});

/** What the parts of the chat share. */
export function createChat(
  { models, config, log, now, redis, bus, produce }: Core & { models: ChatModels },
  { usage, accounts }: Others,
) {
  const conversations = createConversationStore(models.conversations);
  const sends = createSendStore(models.messages);
  const replies = createReplyStore(models.messages);
  const replyLog = createReplyLog(redis);
  const onSettled = async (ownerId: string) => accounts.tellUsage(ownerId);
  const producer = produce(replyJob);
  const fairQueue = createFairQueue(redis, replyJob, { weights: LANE_WEIGHTS });
  return {
    conversations,
    messages: createMessageTree(models.messages),
    sends,
    replies,
    replyLog,
    finisher: createFinisher({ replies, usage, replyLog, bus, onSettled, now, log }),
    completeSend: createSendCompletion({ sends, conversations, bus }),
    producer,
    fairQueue,
    queue: createReplyQueue({ producer, fairQueue, bus, log }),
    limits: { contextTokens: config.CONTEXT_TOKENS, maxReplyTokens: config.MAX_REPLY_TOKENS },
    /** For usage: which replies are queued or running. */
    activeReplies: createActiveReplies(models.messages),
  };
}

type ChatModels = ReturnType<typeof defineModels>;
