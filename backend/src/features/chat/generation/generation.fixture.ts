import { randomBytes } from 'node:crypto';
import { LLMock } from '@copilotkit/aimock';
import { afterAll } from 'vitest';
import { ownDatabase } from '../../../../test/processes.ts';
import { connectMongo, createIndexes } from '../../../db/mongo.ts';
import { connectRedis } from '../../../db/redis.ts';
import type { AppError } from '../../../errors.ts';
import { createFairQueue } from '../../../jobs/fair-queue.ts';
import { createProducer } from '../../../jobs/producer.ts';
import { createOpenAiProvider } from '../../../llm/index.ts';
import { createLog } from '../../../log.ts';
import { createBus } from '../../../realtime/bus.ts';
import { createSubscriptions } from '../../../realtime/subscriptions.ts';
import type { ReplySettings } from '../../context.ts';
import {
  type ChosenPersona,
  createMessageTree,
  DEFAULT_SETTINGS,
  defineMessageModel,
  type MessageDocument,
} from '../messages/index.ts';
import { createStepStore } from '../post-steps/index.ts';
import { createFinisher } from './finish.ts';
import { createSweeper } from './heartbeat.ts';
import { replyJob } from './job.ts';
import { createReplyLog } from './log.ts';
import { createReplyStore } from './model.ts';
import { createReplyQueue, LANE_WEIGHTS } from './queue.ts';
import { createRunner, type RunnerDeps } from './runner.ts';
import { createReplyService } from './service.ts';

export const newId = () => randomBytes(12).toString('hex');

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
        _ownerId: string,
        request: { replyId: string; attempt: number; promptTokens: number; replyTokens: number },
      ) => {
        const { replyTokens, ...key } = request;
        record({ call: 'reserve', ...key });
        return { promptTokens: key.promptTokens, replyTokens };
      },
      settle: async (
        _ownerId: string,
        key: { replyId: string; attempt: number },
        used: { promptTokens: number; completionTokens: number },
      ) => {
        const id = `${key.replyId}:${key.attempt}`;
        if (settled.has(id)) return;
        record({ call: 'settle', ...key, ...used });
        settled.add(id);
      },
      release: async (_ownerId: string, key: { replyId: string; attempt: number }) =>
        record({ call: 'release', ...key }),
    },
  };
}

/**
 * Everything that generates replies, in this process, on the real services; only the provider is a test server. Tests
 * of the queue itself name a Redis of their own.
 */
export async function startGeneration({ redisUrl = process.env.REDIS_URL ?? '' } = {}) {
  const provider = new LLMock({ port: 0, chunkSize: 20 });
  await provider.start();
  const connection = await connectMongo(ownDatabase());
  const model = defineMessageModel(connection);
  await createIndexes(connection);
  const onError = () => undefined;
  const redis = await connectRedis(redisUrl, { retry: 'never', onError });
  const subscriber = await connectRedis(redisUrl, { retry: 'always', onError });
  const producer = createProducer(replyJob, redis);
  const usage = recordUsage();
  const replies = createReplyStore(model);
  const replyLog = createReplyLog(redis);
  const bus = createBus(redis, onError);
  const log = createLog({ level: 'silent', name: 'test' });
  const now = () => new Date();
  afterAll(async () => {
    await producer.close();
    redis.disconnect();
    subscriber.disconnect();
    await connection.close();
    await provider.stop();
  });

  const fairQueue = createFairQueue(redis, replyJob, { weights: LANE_WEIGHTS });
  const queue = createReplyQueue({ producer, fairQueue, bus, log });
  const shared = { replies, replyLog, bus, redis, producer, queue, log, now, usage: usage.service };
  const finisher = createFinisher(shared);
  const messages = createMessageTree(model);
  const personas = new Map<string, ChosenPersona>();
  /** Of every conversation. */
  const settings: Partial<ReplySettings> = {};
  const deps = {
    ...shared,
    steps: createStepStore(model),
    finisher,
    messages,
    completeSend: async () => false,
    personas: {
      choose: async (_ownerId: string, id: string) => personas.get(id) ?? null,
    },
    limits: { contextTokens: 10_000, guestContextTokens: 2_000, maxReplyTokens: LONGEST },
  };

  const runner = (changes: Partial<RunnerDeps> = {}) =>
    createRunner({
      ...deps,
      provider: createOpenAiProvider({
        baseUrl: `http://127.0.0.1:${provider.port}/v1`,
        apiKey: 'test',
        model: 'test',
        idleMs: 20_000,
      }),
      maxTokens: LONGEST,
      depthTimes: { add: () => undefined },
      budgetTokens: 10_000,
      contributors: [],
      postSteps: { namesFor: () => [], enqueue: async () => undefined },
      files: { contextOf: async () => ({ text: '', images: [], passages: [], receipt: [] }) },
      sleep: async () => undefined,
      ...changes,
    });

  /** A user message and its reply, queued unless `fields` say otherwise. */
  const insert = async (fields: object = {}, question = 'Hello') => {
    const ids = { id: newId(), ownerId: newId(), conversationId: newId(), parentId: newId() };
    const { id, ownerId, conversationId, parentId } = ids;
    const scope = { ownerId, conversationId, createdAt: now() };
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
      heartbeatAt: now(),
      reserved: { promptTokens: 7, replyTokens: LONGEST.balanced },
      ...fields,
    });
    return ids;
  };

  const stored = async (id: string) => {
    const doc = await model.findById(id).lean<MessageDocument>();
    if (!doc) throw new Error('The reply is not stored.');
    return doc;
  };

  /** The events published to a user from now on. */
  const listen = async (userId: string) => {
    const events: { event: string; payload: unknown }[] = [];
    await createSubscriptions(subscriber).listen(`user:${userId}`, (text) => {
      events.push(JSON.parse(text) as { event: string; payload: unknown });
    });
    return events;
  };

  return {
    ...deps,
    model,
    chosen: { personas, settings },
    provider,
    recorded: usage,
    runner,
    insert,
    stored,
    listen,
    fairQueue,
    sweep: (changes: object = {}, jobs = producer) => {
      const queue = createReplyQueue({ ...deps, fairQueue, producer: jobs });
      return createSweeper({ ...deps, queue, ...changes });
    },
    service: createReplyService({
      ...deps,
      conversations: { find: async (id) => ({ ...DEFAULT_SETTINGS, ...settings, id }) as never },
    }),
  };
}

const LONGEST = { fast: 250, balanced: 500, deep: 1_000 };

export const actorOf = (userId: string) => ({
  kind: 'session' as const,
  isGuest: false,
  userId,
  sessionId: 'test',
  scopes: ['all'] as const,
});

export const LONG_AGO = new Date(Date.now() - 60_000);
