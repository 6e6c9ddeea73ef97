import { LLMock } from '@copilotkit/aimock';
import type { AppError } from '../src/errors.ts';
import {
  createReplyWorker,
  type GenerationFeature,
  type ReplyWorker,
} from '../src/features/chat/generation/feature.ts';
import { releaseAll, runReply, stopHere } from '../src/features/chat/generation/runner.ts';
import {
  type ChosenPersona,
  DEFAULT_SETTINGS,
  defineMessageModel,
  type MessageDocument,
  settingsOfReply,
} from '../src/features/chat/messages/index.ts';
import type { ReplySettings } from '../src/features/context.ts';
import { ownPayer, type Payer } from '../src/features/payer.ts';
import { createOpenAiProvider } from '../src/llm/index.ts';
import { conversationChannel, decodeEvent, userChannel } from '../src/realtime/bus.ts';
import { atEnd } from './at-end.ts';
import { newId } from './chat.ts';
import { testCore } from './core.ts';

interface UsageCall {
  call: 'reserve' | 'settle' | 'release';
  replyId: string;
  attempt: number;
  promptTokens?: number;
  completionTokens?: number;
}

/** A fake of usage that records calls, settles each attempt once, and fails on request. */
export function recordUsage() {
  const calls: UsageCall[] = [];
  const settled = new Set<string>();
  const switches: { failure?: Error | AppError | undefined } = {};
  const record = (call: UsageCall) => {
    if (switches.failure) throw switches.failure;
    calls.push(call);
  };
  return {
    calls,
    switches,
    of: (replyId: string) => calls.filter((call) => call.replyId === replyId),
    service: {
      laneOf: async () => 'starter' as const,
      reserve: async (
        _payer: Payer,
        request: { replyId: string; attempt: number; promptTokens: number; replyTokens: number },
      ) => {
        const { replyTokens, ...key } = request;
        record({ call: 'reserve', ...key });
        return { promptTokens: key.promptTokens, replyTokens };
      },
      settle: async (
        _payer: Payer,
        key: { replyId: string; attempt: number },
        used: { promptTokens: number; completionTokens: number },
      ) => {
        const id = `${key.replyId}:${key.attempt}`;
        if (settled.has(id)) return;
        record({ call: 'settle', ...key, ...used });
        settled.add(id);
      },
      release: async (_payer: Payer, key: { replyId: string; attempt: number }) =>
        record({ call: 'release', ...key }),
    },
  };
}

/** Maximum reply of each depth: fast has half of it, deep twice as much. */
const MAX_REPLY_TOKENS = 500;
const SETTINGS = {
  CONTEXT_TOKENS: '10000',
  GUEST_CONTEXT_TOKENS: '2000',
  MAX_REPLY_TOKENS: String(MAX_REPLY_TOKENS),
};

/** Replacements for parts of a worker. */
export type Changes = Partial<ReplyWorker & GenerationFeature['others']> & {
  contextTokens?: number;
};

/**
 * The generation of replies in this process, on the real services. Only the provider is a test server, and quota and conversations are
 * fakes. Tests of the queue itself use a separate Redis.
 */
export async function startGeneration({ redisUrl = process.env.REDIS_URL ?? '' } = {}) {
  const provider = new LLMock({ port: 0, chunkSize: 20 });
  await provider.start();
  const core = await testCore({ settings: { ...SETTINGS, REDIS_URL: redisUrl } });
  atEnd(() => provider.stop());
  const { chat } = core.services;
  const model = defineMessageModel(core.connection);
  const usage = recordUsage();
  const personas = new Map<string, ChosenPersona>();
  /** For every conversation. */
  const settings: Partial<ReplySettings> = {};
  const chooser = {
    limits: chat.limits,
    others: {
      personas: { choose: async (_ownerId: string, id: string) => personas.get(id) ?? null },
    },
  };
  const generation: GenerationFeature = {
    ...chat.generation,
    others: {
      usage: usage.service,
      files: { contextOf: async () => ({ text: '', images: [], passages: [], receipt: [] }) },
      workspaces: core.services.workspaces,
    },
    conversations: {
      find: async (key) =>
        (await model.exists({ conversationId: key.id, ownerId: key.ownerId }))
          ? ({ ...DEFAULT_SETTINGS, ...settings, ...key, grants: [] } as never)
          : null,
      findShared: async () => null,
    },
    completeSend: async () => false,
    payerOf: async ({ userId }) => ownPayer(userId),
    settingsOfReply: (earlier, conversation, actor) =>
      settingsOfReply(chooser, actor, { earlier, conversation }),
  };

  const runner = ({ usage, files, contextTokens, ...changes }: Changes = {}) => {
    const { others, limits } = generation;
    const worker: ReplyWorker = {
      ...createReplyWorker(generation, {
        provider: createOpenAiProvider({
          baseUrl: `http://127.0.0.1:${provider.port}/v1`,
          apiKey: 'test',
          model: 'test',
          idleMs: 20_000,
        }),
        jsonModel: { model: 'test', answer: () => Promise.reject(new Error('No model.')) },
        contributors: [],
        postSteps: { namesFor: () => [], enqueue: async () => undefined },
      }),
      sleep: async () => undefined,
      others: { ...others, usage: usage ?? others.usage, files: files ?? others.files },
      limits: { ...limits, ...(contextTokens !== undefined && { contextTokens }) },
      ...changes,
    };
    return {
      run: (job: { replyId: string; conversationId: string }) => runReply(worker, job),
      /** Stores the request of a stop, and tells the worker. */
      stop: async (replyId: string) => {
        await model.updateOne({ _id: replyId }, { $set: { stopRequested: true } });
        await stopHere(worker, replyId);
      },
      /** Only tells the worker, as a late event does. */
      hearStop: (replyId: string) => stopHere(worker, replyId),
      releaseAll: () => releaseAll(worker),
    };
  };

  /** A user message and its reply, queued unless `fields` differ. */
  const insert = async (fields: object = {}, question = 'Hello') => {
    const ids = { id: newId(), ownerId: newId(), conversationId: newId(), parentId: newId() };
    const { id, ownerId, conversationId, parentId } = ids;
    const scope = { ownerId, conversationId, createdAt: new Date() };
    await model.create({
      ...scope,
      _id: parentId,
      role: 'user',
      content: question,
      depth: 0,
      pathLength: question.length,
    });
    await model.create({
      ...scope,
      _id: id,
      parentId,
      role: 'assistant',
      depth: 1,
      status: 'queued',
      active: true,
      attempt: 0,
      jobId: `${id}.1`,
      heartbeatAt: new Date(),
      reserved: { promptTokens: 7, replyTokens: MAX_REPLY_TOKENS },
      ...fields,
    });
    return { ...ids, userId: ownerId };
  };

  const stored = async (id: string) => {
    const doc = await model.findById(id).lean<MessageDocument>();
    if (!doc) throw new Error('The reply is not stored.');
    return doc;
  };

  /** The events published to a user, and of a conversation, from now on. */
  const listen = async (userId: string, conversationId?: string) => {
    const events: { event: string; payload: unknown }[] = [];
    const channels = [userChannel(userId)];
    if (conversationId) channels.push(conversationChannel(conversationId));
    for (const channel of channels)
      await core.channels.subscribe(channel, (text) => {
        const { event, payload } = decodeEvent(text);
        events.push({ event, payload });
      });
    return events;
  };

  return {
    ...generation,
    ...generation.replyQueues.at(0),
    /** The queues with a replaced part of the only one. */
    queuesWith: (
      changes: Partial<ReturnType<typeof generation.replyQueues.at>>,
    ): GenerationFeature['replyQueues'] => ({
      ...generation.replyQueues,
      ofJob: () => ({ ...generation.replyQueues.at(0), ...changes }),
    }),
    messages: chat.messages,
    steps: chat.postSteps.steps,
    postSteps: chat.postSteps,
    model,
    chosen: { personas, settings },
    provider,
    recorded: usage,
    runner,
    insert,
    stored,
    listen,
  };
}

export const LONG_AGO = new Date(Date.now() - 60_000);
