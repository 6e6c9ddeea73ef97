import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import { type Actor, sessionActor } from '../src/access/index.ts';
import { connectMongo, createIndexes } from '../src/db/mongo.ts';
import {
  createConversation,
  listConversations,
  updateConversation,
} from '../src/features/chat/conversations/index.ts';
import {
  type ChatFeature,
  createChatFeature,
  defineModels,
  type Others,
} from '../src/features/chat/feature.ts';
import {
  type ChosenPersona,
  completeSend,
  type ReplyRecord,
  readMessages,
  regenerateReply,
  sendFirstMessage,
  sendMessage,
} from '../src/features/chat/messages/index.ts';
import type { MessageFiles } from '../src/features/files/index.ts';
import type { Payer } from '../src/features/payer.ts';
import type { Bus } from '../src/realtime/bus.ts';
import { testFileReader } from './file-reader.ts';
import { ownDatabase } from './processes.ts';

/** 24 hexadecimal digits. */
export const newId = () => randomBytes(12).toString('hex');

export const actorOf = (userId: string): Actor =>
  sessionActor({ userId, isGuest: false, sessionId: newId() });

interface Recorded {
  userId: string;
  event: string;
  payload: unknown;
}

/** Conversations and messages on a separate database, without queue, worker and quota. */
export type Chat = Awaited<ReturnType<typeof openChat>>;

export async function openChat() {
  const connection = await connectMongo(ownDatabase());
  afterAll(() => connection.close());
  const models = defineModels(connection);
  await createIndexes(connection);
  const events: Recorded[] = [];
  const jobs: string[] = [];
  const quota: string[] = [];
  const reserved: object[] = [];
  const bus: Bus = {
    publish: async (userId, event, payload) => {
      events.push({ userId, event, payload });
    },
    endSession: async () => undefined,
  };
  const usage = {
    readAhead: async () => ({ entitlements: { lane: 'starter' } }) as never,
    laneOf: async () => 'starter' as const,
    canPayFor: async () => false,
    reserve: async (_: Payer, { replyId, attempt, ...tokens }: Reservation) => {
      quota.push(`reserve ${replyId} ${attempt}`);
      reserved.push(tokens);
      return { ...tokens, replyTokens: Math.min(tokens.replyTokens, 1_000) };
    },
    release: async (_: Payer, { replyId, attempt }: { replyId: string; attempt: number }) => {
      quota.push(`release ${replyId} ${attempt}`);
    },
  };
  /** The features from which an erased conversation was removed. */
  const erased: string[] = [];
  const files = {
    selectForMessage: async (): Promise<MessageFiles> => ({
      files: [],
      fileIds: [],
      textBytes: 0,
      images: 0,
    }),
    addUse: async () => undefined,
    releaseConversation: async ({ conversationId }: { conversationId: string }) => {
      erased.push(`files ${conversationId}`);
    },
  };
  const others: Others = {
    usage,
    files,
    personas: { choose: async (): Promise<ChosenPersona | null> => null },
    workspaces: {
      requirePool: async () => undefined,
      poolFor: async () => null,
      memberOf: async () => null,
      poolsOf: async () => [],
      places: async () => [],
      names: async () => () => 'Ada',
      colleagues: async () => new Set(),
    },
    shares: {
      endOfConversation: async () => undefined,
      endSnapshots: async () => undefined,
      retitle: async () => undefined,
      endUnmanaged: async () => undefined,
    },
  };
  const core = {
    models,
    reader: testFileReader(),
    bus,
    config: {
      PLANS: 'on' as const,
      CONTEXT_TOKENS: 16_000,
      GUEST_CONTEXT_TOKENS: 4_000,
      MAX_REPLY_TOKENS: 4_096,
      REPLY_QUEUES: 1,
    },
    now: () => new Date(),
    log: { warn: () => undefined } as never,
  };
  const made = createChatFeature(core, others, {
    enqueue: async ({ id }) => {
      jobs.push(id);
    },
    takePriority: async () => 1,
    withLiveText: async (reply) => reply,
    stopReplies: async () => undefined,
    removeMessages: async () => true,
    removeLogs: async (keys) => {
      erased.push(...keys.map(({ id }) => `log ${id}`));
    },
  });
  const search: ChatFeature['search'] = {
    ...made.search,
    remove: async ({ conversationId }) => {
      erased.push(`search ${conversationId}`);
    },
  };
  /** The object of the feature, with changes to it and to other features. */
  const featureWith = ({
    usage,
    files,
    personas,
    workspaces,
    shares,
    ...changed
  }: Changes = {}): ChatFeature => ({
    ...made,
    search,
    ...changed,
    others: {
      usage: usage ?? others.usage,
      files: files ?? others.files,
      personas: personas ?? others.personas,
      workspaces: workspaces ?? others.workspaces,
      shares: shares ?? others.shares,
    },
  });
  const feature = featureWith();
  const { messages: model, conversations: conversationModel } = models;

  /** Ends a reply, as a worker does. */
  const end = async (replyId: string, content = 'An answer') => {
    const reply = await model.findById(replyId).lean();
    const message = await model.findById(reply?.parentId).lean();
    await model.updateOne(
      { _id: replyId },
      {
        $set: {
          status: 'complete',
          content,
          attempt: 1,
          unindexed: 1,
          pathLength: (message?.pathLength ?? 0) + content.length,
        },
        $unset: { active: 1, outbox: 1 },
      },
    );
  };

  const service = (changes?: Changes) => sendsOf(featureWith(changes));
  /** Lets a send choose any persona. */
  const anyPersona = featureWith({
    personas: {
      choose: async (_ownerId, id) => ({
        id,
        name: 'A persona',
        version: 1,
        hasFiles: false,
        measure,
      }),
    },
  });

  return {
    model,
    conversationModel,
    entries: models.searchEntries,
    connection,
    deps: {
      ...feature,
      usage,
      files,
      newId,
      completeSend: (reply: ReplyRecord) => completeSend(feature, reply),
    },
    featureWith,
    events,
    jobs,
    quota,
    reserved,
    erased,
    service,
    end,
    pages: {
      list: (actor: Actor, wanted: Parameters<typeof readMessages>[2]) =>
        readMessages(feature, actor, wanted),
    },
    conversations: {
      list: (actor: Actor, filter: Parameters<typeof listConversations>[2]) =>
        listConversations(feature, actor, filter),
      create: (actor: Actor, fields: Parameters<typeof createConversation>[2]) =>
        createConversation(feature, actor, fields),
      update: (actor: Actor, id: string, changes: Omit<Update, 'id'>) =>
        updateConversation(anyPersona, actor, { ...changes, id }),
    },

    /** An empty conversation, of a new user unless an actor is given. */
    start: async (actor = actorOf(newId())) => {
      const { id } = await createConversation(feature, actor, { title: 'A talk' });
      return new Talk(actor, id, { service: service(), end });
    },
  };
}

type Changes = Partial<Omit<ChatFeature, 'others'> & Others>;
type Update = Parameters<typeof updateConversation>[2];

const measure = () => Promise.reject(new Error('A send measures no persona.'));

/** The functions that send, as calls of this feature. */
const sendsOf = (chat: ChatFeature) => ({
  send: (actor: Actor, send: Parameters<typeof sendMessage>[2]) => sendMessage(chat, actor, send),
  sendFirst: (actor: Actor, first: Parameters<typeof sendFirstMessage>[2]) =>
    sendFirstMessage(chat, actor, first),
  regenerate: (actor: Actor, id: string, body: { clientReplyId?: string } = {}) =>
    regenerateReply(chat, actor, { ...body, id }),
});

interface Reservation {
  replyId: string;
  attempt: number;
  promptTokens: number;
  replyTokens: number;
}

/** A conversation whose replies end at once. */
export class Talk {
  constructor(
    readonly actor: Actor,
    readonly id: string,
    private readonly chat: {
      service: ReturnType<typeof sendsOf>;
      end: (replyId: string, content?: string) => Promise<void>;
    },
  ) {}

  /** Sends a message and ends its reply. Without `parentId` it follows the active leaf. */
  async say(content: string, parentId?: string | null) {
    const sent = await this.send(content, { parentId });
    await this.chat.end(sent.reply.id, `Reply to ${content}`);
    return sent;
  }

  /** Sends a message; its reply stays queued. */
  send(content: string, options: { parentId?: string | null | undefined; key?: string } = {}) {
    const { parentId, key = randomUUID() } = options;
    return this.chat.service.send(this.actor, {
      conversationId: this.id,
      content,
      clientMessageId: key,
      parentId,
    });
  }

  async regenerate(replyId: string) {
    const reply = await this.chat.service.regenerate(this.actor, replyId);
    await this.chat.end(reply.id, 'Another answer');
    return reply;
  }
}
