import { createMongoMessageSearch, defineSearchModel } from '../../search/index.ts';
import type { Core } from '../define-feature.ts';
import type { FilesService } from '../files/index.ts';
import type { Lane, UsageService } from '../usage/index.ts';
import { createConversationStore, defineConversationModel } from './conversations/index.ts';
import {
  createGenerationFeature,
  enqueueReply,
  markMemoriesUndone,
  removeMessagesIn,
  stopRepliesIn,
  takePriority,
  withLiveText,
} from './generation/index.ts';
import {
  createMessageTree,
  createSendCompletion,
  createSendStore,
  createSettingsChoice,
  defineMessageModel,
  type PersonaChoice,
  type ReplyRecord,
} from './messages/index.ts';
import { createStepsFeature, type RequestStep, requestStep } from './post-steps/index.ts';
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
export function createChat(core: Core & { models: ChatModels }, others: Others) {
  const { models, config, bus } = core;
  const { personas } = others;
  const conversations = createConversationStore(models.conversations);
  const sends = createSendStore(models.messages);
  const messages = createMessageTree(models.messages);
  const search = createMongoMessageSearch(models.searchEntries);
  const limits = limitsOf(config);
  const postSteps = createStepsFeature(core, { conversations, messages });
  const generation = createGenerationFeature(core, others, {
    conversations,
    messages,
    limits,
    steps: postSteps.steps,
    completeSend: (reply) => completeSend(reply),
    settingsOfReply: createSettingsChoice({ personas, limits }).ofReply,
  });
  const { replies, replyLog, fairQueue } = generation;
  const stores = { sends, conversations, search, replyLog };
  const completeSend = createSendCompletion({ ...stores, ...others, bus });
  const request: RequestStep = (actor, replyId, step) =>
    requestStep(postSteps, actor, { ...step, replyId });
  return {
    conversations,
    personas,
    messages,
    sends,
    unindexed: createUnindexedStore(models.messages),
    search,
    completeSend,
    limits,
    postSteps,
    generation,
    replies,
    replyLog,
    fairQueue,
    /** For the other parts of the chat. */
    enqueue: (reply: ReplyRecord, priority?: Promise<number>) =>
      enqueueReply(generation, reply, priority),
    takePriority: (waits: { ownerId: string; lane: Lane }) => takePriority(generation, waits),
    withLiveText: (reply: ReplyRecord) => withLiveText(reply, replyLog),
    stopReplies: async (scope: Scope): Promise<void> => {
      await stopRepliesIn(generation, scope);
    },
    removeMessages: (scope: Scope) => removeMessagesIn(generation, scope),
    /** For features whose post-steps users ask for. */
    requestStep: request,
    /** For the memory. */
    markMemoriesUndone: (replyId: string, ownerId: string) =>
      markMemoriesUndone(generation, replyId, ownerId),
    /** For usage: which replies are queued or running. */
    activeReplies: replies.activeAmong,
  };
}

interface Scope {
  conversationId: string;
  ownerId: string;
}

/** Longest prompt, and longest reply of each depth, in tokens. */
const limitsOf = ({
  CONTEXT_TOKENS: contextTokens,
  GUEST_CONTEXT_TOKENS: guestContextTokens,
  MAX_REPLY_TOKENS: balanced,
  MAX_REPLY_TOKENS_FAST: fast = Math.ceil(balanced / 2),
  MAX_REPLY_TOKENS_DEEP: deep = 2 * balanced,
}: Core['config']) => ({
  contextTokens,
  guestContextTokens,
  maxReplyTokens: { fast, balanced, deep },
});

type ChatModels = ReturnType<typeof defineModels>;
