import type { Actor, Reader } from '../../access/index.ts';
import type { Core } from '../define-feature.ts';
import type { FilesService } from '../files/index.ts';
import { endGrantsIn, type GrantsEnd } from '../record-grants.ts';
import type { HandingOver } from '../record-grants-model.ts';
import type { UsageService } from '../usage/index.ts';
import {
  beginHandover,
  findUnreadable,
  openConversation,
  publishAccess,
  publishLostAccess,
  readableAmong,
} from './conversations/index.ts';
import { type AttachedFiles, importConversation } from './exports/index.ts';
import {
  type ChatFeature,
  type Others as ChatOthers,
  createChatFeature,
  type defineModels,
} from './feature.ts';
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
import {
  completeSend,
  endElsewhere,
  openReply,
  settingsOfReply,
  stopElsewhere,
} from './messages/index.ts';
import { payerOf } from './payer.ts';
import { createStepsFeature, type RequestStep, requestStep } from './post-steps/index.ts';

/** What the chat needs of other features. */
export interface Others extends ChatOthers {
  usage: UsageService;
  files: FilesService;
}

/** What other features get as `others.chat`. */
export type ChatService = ReturnType<typeof createChat>;

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
    completeSend: (reply, path) => completeSend(chat, reply, path),
    payerOf: (actor, conversation) => payerOf(chat, actor, conversation),
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
    ...chatCalls(chat),
    /** For memory. */
    markMemoriesUndone: (key: ReplyKey, ownerId: string) =>
      markMemoriesUndone(generation, key, ownerId),
    /** For usage. */
    activeReplies: replies.activeAmong,
  };
}

const chatCalls = (chat: ChatFeature) => ({
  /** For sockets and links. */
  openConversation: (
    actor: Pick<Actor, 'userId'>,
    wanted: Parameters<typeof openConversation>[2],
  ) => openConversation(chat, actor, wanted),
  /** For links and usage. */
  openReply: (actor: Pick<Actor, 'userId'>, wanted: Parameters<typeof openReply>[2]) =>
    openReply(chat, actor, wanted),
  findUnreadable: (watched: Parameters<typeof findUnreadable>[1]) => findUnreadable(chat, watched),
  /** For links: a copy of what one shows. */
  importConversation: (actor: Actor, body: Buffer, files: AttachedFiles) =>
    importConversation(chat, actor, async () => body, files),
  /** For memory. */
  isShared: async (key: { id: string; ownerId: string }) => {
    const conversation = await chat.conversations.find(key);
    return conversation !== null && conversation.grants.length > 0;
  },
  /** For usage. */
  paidByOwner: async (key: { id: string; ownerId: string }) => {
    const cap = (await chat.conversations.find(key))?.ownerPays;
    return cap === undefined ? null : { cap };
  },
  /** For files. */
  readableAmong: (reader: Reader, ids: string[]) => readableAmong(chat, reader, ids),
  /** For workspaces. */
  endGrants: (...to: GrantsEnd) => endGrantsIn(chat.conversations, ...to),
  beginHandover: (given: HandingOver) => beginHandover(chat, given),
  redirectHandovers: chat.handovers.redirect,
  countOwned: chat.handovers.count,
  publishAccess: (userIds: readonly string[]) => publishAccess(chat, userIds),
  /** For privacy. */
  countElsewhere: chat.authored.count,
  endElsewhere: (userId: string, choice: { erase: boolean }) => endElsewhere(chat, userId, choice),
  stopElsewhere: (userId: string) => stopElsewhere(chat, userId),
  publishLostAccess: (userIds: readonly string[]) => publishLostAccess(chat, userIds),
});
