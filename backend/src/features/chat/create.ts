import type { Actor } from '../../access/index.ts';
import type { Core } from '../define-feature.ts';
import type { FilesService } from '../files/index.ts';
import type { UsageService } from '../usage/index.ts';
import {
  endGrants,
  findUnreadable,
  mayReadAny,
  openConversation,
  publishLostAccess,
} from './conversations/index.ts';
import { type Others as ChatOthers, createChatFeature, type defineModels } from './feature.ts';
import {
  createGenerationFeature,
  enqueueReply,
  markMemoriesUndone,
  type ReplyKey,
  removeMessagesIn,
  stopRepliesIn,
  takePriority,
  withLiveText,
} from './generation/index.ts';
import { completeSend, openReply, settingsOfReply } from './messages/index.ts';
import { createStepsFeature, type RequestStep, requestStep } from './post-steps/index.ts';

/** What the chat needs of other features. */
export interface Others extends ChatOthers {
  usage: UsageService;
  files: FilesService;
}

/**
 * The objects of conversations and messages, of the generation, and of post-steps. Each has the functions that it calls of the others as
 * members.
 */
export function createChat(
  core: Core & { models: ReturnType<typeof defineModels> },
  others: Others,
) {
  const chat = createChatFeature(core, others, {
    takePriority: (waits) => takePriority(generation, waits),
    enqueue: (reply, priority) => enqueueReply(generation, reply, priority),
    withLiveText: (reply) => withLiveText(reply, generation.replyLog),
    stopReplies: async (scope) => {
      await stopRepliesIn(generation, scope);
    },
    removeMessages: (scope) => removeMessagesIn(generation, scope),
    removeLogs: (keys) => generation.replyLog.remove(keys),
  });
  const postSteps = createStepsFeature(core, chat);
  const generation = createGenerationFeature(core, others, {
    conversations: chat.conversations,
    messages: chat.messages,
    limits: chat.limits,
    steps: postSteps.steps,
    completeSend: (reply) => completeSend(chat, reply),
    settingsOfReply: (earlier, conversation, actor) =>
      settingsOfReply(chat, actor, { earlier, conversation }),
  });
  const { replies, replyLog, replyQueues } = generation;
  const request: RequestStep = (actor, replyId, step) =>
    requestStep(postSteps, actor, { ...step, replyId });
  return {
    ...chat,
    postSteps,
    generation,
    replies,
    replyLog,
    replyQueues,
    /** For features with post-steps on request. */
    requestStep: request,
    /** For sockets. */
    openConversation: (actor: Pick<Actor, 'userId'>, id: string) =>
      openConversation(chat, actor, { id, action: 'read' }),
    findUnreadable: (watched: Parameters<typeof findUnreadable>[1]) =>
      findUnreadable(chat, watched),
    /** For files. */
    mayReadAny: (actor: Pick<Actor, 'userId'>, of: { ownerId: string; ids: string[] }) =>
      mayReadAny(chat, actor, of),
    /** For workspaces. */
    endGrants: (to: Parameters<typeof endGrants>[1], of?: { ownerIds: string[] }) =>
      endGrants(chat, to, of),
    publishLostAccess: (userIds: readonly string[]) => publishLostAccess(chat, userIds),
    /** For memory. */
    markMemoriesUndone: (key: ReplyKey, ownerId: string) =>
      markMemoriesUndone(generation, key, ownerId),
    /** For usage. */
    requireReply: async (actor: Pick<Actor, 'userId'>, id: string): Promise<void> => {
      await openReply(chat, actor, { id, action: 'read' });
    },
    activeReplies: replies.activeAmong,
  };
}
