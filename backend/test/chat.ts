import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import type { Actor } from '../src/access/index.ts';
import { connectMongo, createIndexes } from '../src/db/mongo.ts';
import {
  createConversationService,
  createConversationStore,
  defineConversationModel,
} from '../src/features/chat/conversations/index.ts';
import {
  type ChosenPersona,
  createMessagePages,
  createMessageService,
  createMessageTree,
  createSendCompletion,
  createSentMessageStore,
  defineMessageModel,
} from '../src/features/chat/messages/index.ts';
import type { MessageFiles } from '../src/features/files/index.ts';
import type { Bus } from '../src/realtime/bus.ts';
import { ownDatabase } from './processes.ts';

/** 24 hexadecimal digits. */
export const newId = () => randomBytes(12).toString('hex');

export const actorOf = (userId: string): Actor => ({
  kind: 'session',
  userId,
  isGuest: false,
  sessionId: newId(),
  scopes: ['all'],
});

interface Recorded {
  userId: string;
  event: string;
  payload: unknown;
}

/** The services of conversations and messages on a database of the test's own, without queue, worker and quota. */
export type Chat = Awaited<ReturnType<typeof openChat>>;

export async function openChat() {
  const connection = await connectMongo(ownDatabase());
  afterAll(() => connection.close());
  const model = defineMessageModel(connection);
  const conversationModel = defineConversationModel(connection);
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
  const conversations = createConversationStore(conversationModel);
  const messages = createMessageTree(model);
  const sends = createSentMessageStore(model);
  const usage = {
    readAhead: async () => ({ entitlements: { lane: 'starter' } }) as never,
    laneOf: async () => 'starter' as const,
    reserve: async (_: string, { replyId, attempt, ...tokens }: Reservation) => {
      quota.push(`reserve ${replyId} ${attempt}`);
      reserved.push(tokens);
      return { ...tokens, replyTokens: Math.min(tokens.replyTokens, 1_000) };
    },
    release: async (_: string, { replyId, attempt }: { replyId: string; attempt: number }) => {
      quota.push(`release ${replyId} ${attempt}`);
    },
  };
  /** What an erased conversation is removed from. */
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
  const search = {
    remove: async ({ conversationId }: { conversationId: string }) => {
      erased.push(`search ${conversationId}`);
    },
  };
  const replyLog = {
    remove: async (ids: string[]) => {
      erased.push(...ids.map((id) => `log ${id}`));
    },
  };
  const completionDeps = { sends, conversations, search, files, replyLog, usage, bus };
  const deps = {
    conversations,
    messages,
    sends,
    completeSend: createSendCompletion(completionDeps),
    usage,
    files,
    enqueue: async ({ id }: { id: string }) => {
      jobs.push(id);
    },
    takePriority: async () => 1,
    personas: { choose: async (_ownerId: string, _id: string) => null as ChosenPersona | null },
    memory: { promptBytesFor: async (_ownerId: string, _personaId: string | null) => 0 },
    findPersona: async (): Promise<{ members?: unknown[] } | null> => ({}),
    bus,
    limits: {
      contextTokens: 16_000,
      guestContextTokens: 4_000,
      maxReplyTokens: { fast: 2_048, balanced: 4_096, deep: 8_192 },
    },
    newId,
    now: () => new Date(),
    log: { warn: () => undefined } as never,
  };

  /** Ends a reply as a worker does. */
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

  const service = (changed: Partial<typeof deps> = {}) =>
    createMessageService({ ...deps, ...changed });

  return {
    model,
    conversationModel,
    connection,
    deps,
    events,
    jobs,
    quota,
    reserved,
    erased,
    service,
    completion: (changed: Partial<typeof completionDeps>) =>
      createSendCompletion({ ...completionDeps, ...changed }),
    end,
    pages: createMessagePages({ ...deps, withLiveText: async (reply) => reply }),
    conversations: createConversationService(deps),

    /** An empty conversation, of a new user unless told otherwise. */
    start: async (actor = actorOf(newId())) => {
      const { id } = await createConversationService(deps).create(actor, { title: 'A talk' });
      return new Talk(actor, id, { service: service(), end });
    },
  };
}

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
      service: ReturnType<typeof createMessageService>;
      end: (replyId: string, content?: string) => Promise<void>;
    },
  ) {}

  /** Sends a message and ends its reply. `parentId` left out: after the active leaf. */
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
