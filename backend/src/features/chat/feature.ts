import { type Config, guestContextTokens } from '../../config.ts';
import { createMongoMessageSearch, defineSearchModel } from '../../search/index.ts';
import { createSlots } from '../../slots.ts';
import type { Core } from '../define-feature.ts';
import type { FilesService } from '../files/index.ts';
import type { Lane, UsageService } from '../usage/index.ts';
import type { WorkspacesService } from '../workspaces/index.ts';
import { createConversationDeletionStore } from './conversations/deletion-model.ts';
import { createHandoverStore } from './conversations/handover-model.ts';
import { createConversationImportStore } from './conversations/import-model.ts';
import { createConversationStore, defineConversationModel } from './conversations/model.ts';
import { createViewStore, defineViewModel } from './conversations/view-model.ts';
import { createImportedMessageStore } from './exports/message-model.ts';
import { createAuthoredStore } from './messages/authored-model.ts';
import { createHandedOverStore } from './messages/handed-over-model.ts';
import { defineMessageModel } from './messages/model.ts';
import type { PersonaChoice } from './messages/persona-choice.ts';
import type { ReplyRecord, Scope } from './messages/record.ts';
import { createSentMessageStore } from './messages/sent-message-model.ts';
import { createMessageTree } from './messages/tree-model.ts';
import { createUnindexedStore } from './search/unindexed-model.ts';

/** What conversations and messages need of other features. */
export interface Others {
  usage: Pick<UsageService, 'readAhead' | 'canPayFor' | 'laneOf' | 'reserve' | 'release'>;
  files: Pick<FilesService, 'selectForMessage' | 'addUse' | 'releaseConversation'>;
  personas: PersonaChoice;
  workspaces: WorkspacesService;
  shares: {
    /** Ends the public links to a conversation and erases what they show; it can be repeated. */
    endOfConversation: (conversationId: string) => Promise<void>;
    /** Ends the snapshots of whole conversations; optionally only those with names of authors. It can be repeated. */
    endSnapshots: (
      conversationIds: readonly string[],
      which: { withNamesOnly: boolean },
    ) => Promise<void>;
    /** Replaces a title of the conversation in the lists of links. */
    retitle: (conversationId: string, change: { from: string; to: string }) => Promise<void>;
    /** Ends links to a conversation, or by these users, that their makers may no longer make. */
    endUnmanaged: (
      of: { conversationId: string } | { makerIds: readonly string[] },
    ) => Promise<void>;
  };
}

/** The functions of the generation that they need; the generation is built on them. */
export interface GenerationCalls {
  /** Takes the queue priority of a user's next reply. */
  takePriority: (waits: { conversationId: string; userId: string; lane: Lane }) => Promise<number>;
  /** Puts the job of a queued reply into the queue. Without a priority it takes one, unless the job exists. */
  enqueue: (reply: ReplyRecord, priority?: Promise<number>) => Promise<void>;
  /** A running reply with the text that has been shown so far. */
  withLiveText: (reply: ReplyRecord) => Promise<ReplyRecord>;
  /** Requests the end of the replies that run in the conversation. */
  stopReplies: (scope: Scope) => Promise<void>;
  /** Removes messages and reply logs. @returns false while a reply has not ended */
  removeMessages: (scope: Scope) => Promise<boolean>;
  removeLogs: (replies: readonly Pick<ReplyRecord, 'id' | 'conversationId'>[]) => Promise<void>;
}

export const defineModels = (connection: Core['connection']) => ({
  conversations: defineConversationModel(connection),
  messages: defineMessageModel(connection),
  searchEntries: defineSearchModel(connection),
  views: defineViewModel(connection),
});

interface Needs extends Pick<Core, 'reader' | 'bus' | 'now' | 'log'> {
  models: ReturnType<typeof defineModels>;
  config: Pick<
    Config,
    | 'CONTEXT_TOKENS'
    | 'GUEST_CONTEXT_TOKENS'
    | 'PLANS'
    | 'MAX_REPLY_TOKENS'
    | 'MAX_REPLY_TOKENS_FAST'
    | 'MAX_REPLY_TOKENS_DEEP'
    | 'REPLY_QUEUES'
  >;
}

/** The object of conversations, messages, search and exports. Every function takes it, or a part of it, as its first parameter. */
export type ChatFeature = ReturnType<typeof createChatFeature>;

export const createChatFeature = (
  { models, config, reader, bus, now, log }: Needs,
  others: Others,
  generation: GenerationCalls,
) => ({
  conversations: createConversationStore(models.conversations),
  deletions: createConversationDeletionStore(models.conversations),
  views: createViewStore(models.views),
  handovers: createHandoverStore(models.conversations),
  authored: createAuthoredStore(models.messages),
  handedOver: createHandedOverStore(models.messages),
  imports: createConversationImportStore(models.conversations),
  imported: createImportedMessageStore(models.messages),
  messages: createMessageTree(models.messages),
  sentMessages: createSentMessageStore(models.messages, config.REPLY_QUEUES),
  unindexed: createUnindexedStore(models.messages),
  search: createMongoMessageSearch(models.searchEntries),
  limits: {
    contextTokens: config.CONTEXT_TOKENS,
    guestContextTokens: guestContextTokens(config),
    maxReplyTokens: maxReplyTokens(config),
  },
  /** Long messages keep the process busy: a user's pages are read one after the other, and other users are served in between. */
  pageSlots: createSlots(Number.POSITIVE_INFINITY),
  ...generation,
  others,
  reader,
  bus,
  now,
  log,
});

/** Maximum length of a reply by depth, in tokens. */
const maxReplyTokens = ({
  MAX_REPLY_TOKENS: balanced,
  MAX_REPLY_TOKENS_FAST: fast = Math.ceil(balanced / 2),
  MAX_REPLY_TOKENS_DEEP: deep = 2 * balanced,
}: Needs['config']) => ({ fast, balanced, deep });
