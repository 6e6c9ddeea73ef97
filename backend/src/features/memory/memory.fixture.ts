import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import { type Actor, sessionActor } from '../../access/index.ts';
import type { MemoryReceipt } from '../../contract/memory.ts';
import { connectMongo, createIndexes } from '../../db/mongo.ts';
import type { JsonModel, ProviderUsage } from '../../llm/index.ts';
import type { ReplySettings } from '../context.ts';
import { ownPayer, type Payer } from '../payer.ts';
import type { PostStepInput } from '../post-step.ts';
import { createMemoryFeature, defineModels } from './feature.ts';
import type { ProposedOp } from './ops.ts';
import { memoryContributor } from './read.ts';
import { memoryStep } from './step.ts';

export const newId = () => randomBytes(12).toString('hex');

export const actorOf = (userId: string): Actor =>
  sessionActor({ userId, isGuest: false, sessionId: newId() });

export const SETTINGS: ReplySettings = {
  persona: null,
  depth: 'balanced',
  memory: 'on',
  temporary: false,
};

export const addOp = (quote: string, fields: Partial<ProposedOp> = {}): ProposedOp => ({
  op: 'add',
  targetId: null,
  text: quote,
  kind: 'fact',
  quote,
  ...fields,
});

const USED: ProviderUsage = {
  promptTokens: 90,
  cachedTokens: 0,
  completionTokens: 20,
  reasoningTokens: 0,
  model: 'test',
};

/** The memory feature on the real database; the test sets the model's answers. */
export async function openMemory() {
  const connection = await connectMongo(ownDatabase());
  afterAll(() => connection.close());
  const models = defineModels(connection);
  await createIndexes(connection);
  const clock = { now: new Date() };
  const now = () => clock.now;
  const published: string[] = [];
  const receipts = new Map<string, { ownerId: string; receipt: MemoryReceipt }>();
  const shared = new Set<string>();
  const charges: { call: string; key: unknown }[] = [];
  const asked: string[] = [];
  const next: { ops: ProposedOp[]; error?: Error } = { ops: [] };
  const jsonModel: JsonModel = {
    model: 'test',
    answer: async ({ messages, schema }) => {
      asked.push(messages.map(({ content }) => content).join('\n'));
      if (next.error) throw next.error;
      return { value: schema.parse({ ops: next.ops }), usage: USED, calls: 1 as const };
    },
  };
  const charge = (call: string) => async (_payer: Payer, key: unknown) => {
    charges.push({ call, key });
    return { replyTokens: 600 };
  };
  const usage = {
    reserve: charge('reserve'),
    settle: charge('settle'),
    release: charge('release'),
  };
  const others = {
    usage: usage as never,
    chat: {
      replies: {
        findOwn: async (id: string, ownerId: string) => {
          const found = receipts.get(id);
          return found?.ownerId === ownerId
            ? { id, conversationId: id, metadata: { memoryReceipt: found.receipt } }
            : null;
        },
      },
      markMemoriesUndone: async ({ id }: { id: string }) => {
        const found = receipts.get(id);
        if (found) found.receipt = { ...found.receipt, isUndone: true };
      },
      isShared: async ({ id }: { id: string }) => shared.has(id),
    },
  };
  const bus = { publish: async (ownerId: string) => void published.push(ownerId) };
  const memory = createMemoryFeature({ models, bus: bus as never, now }, others);
  const step = memoryStep(memory, jsonModel);

  /**
   * Runs the step for a message.
   * @returns the receipt, if the step has one
   */
  const say = async (
    ownerId: string,
    content: string,
    {
      ops = [],
      settings = {},
      ...input
    }: {
      ops?: ProposedOp[];
      settings?: Partial<ReplySettings>;
      message?: Partial<PostStepInput['message']>;
      reply?: Partial<PostStepInput['reply']>;
    } = {},
  ) => {
    next.ops = ops;
    const replyId = input.reply?.id ?? newId();
    const metadata = await step.run({
      ownerId,
      payer: ownPayer(ownerId),
      conversationId: newId(),
      run: 1,
      message: {
        id: newId(),
        content,
        createdAt: now(),
        isTypedByOwner: true as const,
        ...input.message,
      },
      reply: {
        attempt: 1,
        content: 'Sure.',
        ...input.reply,
        id: replyId,
        settings: { ...SETTINGS, ...settings },
      },
      signal: new AbortController().signal,
    });
    const receipt = metadata?.memoryReceipt;
    if (receipt) receipts.set(replyId, { ownerId, receipt });
    return { replyId, receipt };
  };

  return {
    ...memory,
    models,
    clock,
    published,
    asked,
    charges,
    next,
    usage,
    step,
    say,
    receipts,
    /** The ids of shared conversations. */
    shared,

    /** The memories in the prompt of a reply to `message`. */
    prompt: async (
      ownerId: string,
      message: string,
      {
        conversationId = newId(),
        ...settings
      }: Partial<ReplySettings> & { conversationId?: string } = {},
    ) =>
      memoryContributor(memory).contribute({
        ...SETTINGS,
        ...settings,
        ownerId,
        conversationId,
        replyId: newId(),
        path: [{ id: newId(), role: 'user', content: message, fileIds: [] }],
        budgetTokens: 800,
        signal: new AbortController().signal,
      }),

    /** Saves a memory and returns its id. */
    saved: async (ownerId: string, text: string, settings: Partial<ReplySettings> = {}) => {
      const { receipt } = await say(ownerId, text, { ops: [addOp(text)], settings });
      return receipt?.written[0]?.id ?? '';
    },
  };
}

export type Rig = Awaited<ReturnType<typeof openMemory>>;
