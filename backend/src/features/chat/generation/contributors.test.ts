import { beforeAll, describe, expect, it, vi } from 'vitest';
import { actorOf, newId } from '../../../../test/chat.ts';
import { type Changes, LONG_AGO, startGeneration } from '../../../../test/generation.ts';
import { type ChatProvider, countPromptTokens, type PromptMessage } from '../../../llm/index.ts';
import type {
  ContextContributor,
  ContextInput,
  Contribution,
  FilesContext,
  FilesInput,
} from '../../context.ts';
import { continueReply } from './control.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;
beforeAll(async () => {
  rig = await startGeneration();
});

const PERSONA = { id: 'a'.repeat(24), name: 'Ada', version: 3 };
const jobOf = ({ id, conversationId }: { id: string; conversationId: string }) => ({
  replyId: id,
  conversationId,
});

function contributorOf(name: ContextContributor['name'], contribution?: Contribution) {
  const contribute = vi.fn<(input: ContextInput) => Promise<Contribution | undefined>>(
    async () => contribution,
  );
  return { name, contribute };
}

function recordingProvider(failure?: Error) {
  const prompts: PromptMessage[][] = [];
  const provider: ChatProvider = {
    model: 'test',
    stream: async function* ({ messages }) {
      prompts.push(messages);
      yield { type: 'delta', part: 'text', text: 'Owls hoot.' };
      if (failure) throw failure;
    },
  };
  return { provider, prompts };
}

async function run(
  deps: Changes,
  { fields = {}, failure, question }: { fields?: object; failure?: Error; question?: string } = {},
) {
  const reply = await rig.insert(fields, question);
  const { provider, prompts } = recordingProvider(failure);
  await rig.runner({ provider, ...deps }).run(jobOf(reply));
  const stored = await rig.stored(reply.id);
  return { reply, prompts, stored, metadata: stored.metadata };
}

describe('contributors', () => {
  it('stand in the prompt between the rules and the files, persona first', async () => {
    const contributors = [
      contributorOf('memory', { text: 'MEMORY' }),
      contributorOf('persona', { text: 'PERSONA' }),
    ];
    const { prompts } = await run({ contributors });
    expect(prompts[0]?.[0]?.content).toMatch(/\n\nPERSONA\n\nMEMORY$/);
  });

  it('get the path, the settings of the send, and their share of the budget', async () => {
    const contributors = [contributorOf('persona'), contributorOf('memory')];
    const settings = { persona: PERSONA, depth: 'deep', memory: 'off', temporary: true };
    const { reply } = await run({ contributors }, { fields: { settings } });
    const { id: replyId, ownerId, conversationId, parentId } = reply;
    const [persona, memory] = contributors.map(({ contribute }) => contribute.mock.calls[0]?.[0]);
    const shared = { replyId, ownerId, conversationId, ...settings, path: [{ id: parentId }] };
    expect(persona).toMatchObject({ ...shared, budgetTokens: 2_000 });
    expect(memory).toMatchObject({ ...shared, budgetTokens: 800 });
  });

  it('are called in parallel', async () => {
    const waiting: (() => void)[] = [];
    const contribute = () =>
      new Promise<undefined>((resolve) => {
        waiting.push(() => resolve(undefined));
        if (waiting.length === 2) for (const go of waiting) go();
      });
    const contributors = [
      { name: 'persona' as const, contribute },
      { name: 'memory' as const, contribute },
    ];
    expect((await run({ contributors })).stored.status).toBe('complete');
  });

  it('without a contribution leave prompt and reply unchanged', async () => {
    const plain = await run({});
    const { prompts, stored } = await run({
      contributors: [contributorOf('persona'), contributorOf('memory')],
    });
    expect(prompts).toEqual(plain.prompts);
    expect(stored.metadata).toBeUndefined();
  });

  it('cost no query of their own: the same queries run with and without them', async () => {
    const queries = async (contributors: ContextContributor[]) => {
      const reply = await rig.insert();
      const seen: string[] = [];
      const onQuery = (_collection: string, method: string) => void seen.push(method);
      rig.model.db.set('debug', onQuery);
      const { provider } = recordingProvider();
      await rig.runner({ provider, contributors }).run(jobOf(reply));
      rig.model.db.set('debug', false);
      return seen.toSorted();
    };
    const before = await queries([]);
    expect(before.length).toBeGreaterThan(0);
    expect(await queries([contributorOf('persona'), contributorOf('memory')])).toEqual(before);
  });

  it('fail the attempt when they fail', async () => {
    const contribute = async () => {
      throw new Error('down');
    };
    const { stored, prompts } = await run({ contributors: [{ name: 'memory', contribute }] });
    expect(stored).toMatchObject({ status: 'failed', error: { code: 'internal' } });
    expect(prompts).toEqual([]);
  });
});

describe('what is stored of contributors', () => {
  const contributors = [
    contributorOf('persona', { text: 'You are Ada.', persona: { ...PERSONA, version: 4 } }),
    contributorOf('memory', { text: 'Likes owls.', metadata: { insightCards: [] } }),
  ];

  it('are their metadata and the receipt, with the end of the reply', async () => {
    const { prompts, metadata } = await run({ contributors });
    const { contextReceipt: receipt, ...rest } = metadata;
    expect(rest).toEqual({ insightCards: [] });
    expect(receipt.budgetTokens).toBe(10_000);
    expect(receipt.parts.map(({ part }: { part: string }) => part)).toEqual([
      'system',
      'persona',
      'memory',
      'history',
    ]);
    const sum = receipt.parts.reduce(
      (all: number, part: { tokens: number }) => all + part.tokens,
      0,
    );
    expect(sum).toBe(await countPromptTokens(prompts[0] ?? []));
  });

  it('is kept by a reply that fails, and by Continue with other metadata', async () => {
    const failed = await run({ contributors }, { failure: new Error('broken') });
    expect(failed.stored.status).toBe('failed');
    expect(failed.metadata.contextReceipt).toBeDefined();
    const actor = actorOf(failed.reply.ownerId);
    await continueReply(rig, actor, failed.reply.id);
    expect((await rig.stored(failed.reply.id)).metadata).toEqual(failed.metadata);
    const { provider } = recordingProvider();
    await rig.runner({ provider, contributors: [] }).run(jobOf(failed.reply));
    expect((await rig.stored(failed.reply.id)).metadata).toEqual(failed.metadata);
  });

  it('is kept when a worker takes the reply over', async () => {
    const contextReceipt = { budgetTokens: 1, parts: [] };
    const fields = {
      status: 'streaming',
      attempt: 1,
      heartbeatAt: LONG_AGO,
      content: 'Owls',
      takeovers: 1,
      metadata: { contextReceipt },
    };
    const { stored, metadata } = await run({ contributors }, { fields });
    expect(stored.status).toBe('interrupted');
    expect(metadata).toEqual({ contextReceipt });
  });

  it('is the persona as it was used', async () => {
    const fields = { settings: { persona: PERSONA, depth: 'deep' } };
    const { stored } = await run({ contributors }, { fields });
    expect(stored.settings).toEqual({ persona: { ...PERSONA, version: 4 }, depth: 'deep' });
    const gone = contributorOf('persona', { text: '', persona: null });
    expect((await run({ contributors: [gone] }, { fields })).stored.settings).toEqual({
      depth: 'deep',
    });
  });
});

describe('Continue', () => {
  it('takes depth and memory of the conversation, and the persona as it is now', async () => {
    const fields = {
      status: 'stopped',
      active: undefined,
      attempt: 1,
      content: 'Owls',
      settings: { persona: PERSONA, depth: 'deep' },
    };
    const reply = await rig.insert(fields);
    const measure = () => Promise.reject(new Error('Continue measures no persona.'));
    rig.chosen.personas.set(PERSONA.id, { ...PERSONA, version: 5, hasFiles: false, measure });
    Object.assign(rig.chosen.settings, { depth: 'fast' });
    const { reply: queued } = await continueReply(rig, actorOf(reply.ownerId), reply.id);
    Object.assign(rig.chosen.settings, { depth: 'balanced' });
    expect(queued.persona).toEqual({ ...PERSONA, version: 5 });
    expect((await rig.stored(reply.id)).settings).toEqual({
      persona: { ...PERSONA, version: 5 },
      depth: 'fast',
    });
    const [reserved] = rig.recorded.of(reply.id);
    expect(reserved?.promptTokens).toBeGreaterThan(300);
  });
});

/** Numbers from 0 to 1, the same in each run (Park and Miller). */
function createRandom(seed: number) {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

describe('one budget', () => {
  it('holds for any sizes of the parts, and what is cut is said', async () => {
    const random = createRandom(11);
    const sized = (most: number) => 'word '.repeat(Math.floor(random() * most));
    for (let round = 0; round < 25; round += 1) {
      const budgetTokens = 1_000 + Math.floor(random() * 12_000);
      const texts = {
        persona: sized(4_000),
        memory: sized(2_000).replaceAll('word', 'note'),
        question: `${sized(4_000)}?`,
      };
      const contributors = [
        contributorOf('persona', { text: texts.persona }),
        contributorOf('memory', { text: texts.memory }),
      ];
      const deps = { contributors, contextTokens: budgetTokens };
      const { prompts, metadata } = await run(deps, { question: texts.question });
      const tokens = await countPromptTokens(prompts[0] ?? []);
      expect(tokens).toBeLessThanOrEqual(budgetTokens);
      const parts: { part: string; tokens: number; cut?: string }[] = metadata.contextReceipt.parts;
      const part = (name: string) =>
        parts.find((it) => it.part === name) ?? { tokens: 0, cut: undefined };
      expect(part('persona').tokens).toBeLessThanOrEqual(Math.min(2_000, budgetTokens / 4));
      expect(part('memory').tokens).toBeLessThanOrEqual(Math.min(800, budgetTokens / 10));
      const [system, question] = [prompts[0]?.[0]?.content, prompts[0]?.at(-1)?.content];
      const isCut = {
        persona: !system?.includes(texts.persona.trim()),
        memory: !system?.includes(texts.memory.trim()),
        history: question !== texts.question,
      };
      const isSaid = (name: string) => part(name).cut !== undefined;
      expect({
        persona: isSaid('persona'),
        memory: isSaid('memory'),
        history: isSaid('history'),
      }).toEqual(isCut);
    }
  });

  it('gives files half of what the contributors leave', async () => {
    const reply = await rig.insert();
    const file = { files: [{ id: newId(), name: 'lease.pdf' }] };
    await rig.model.updateOne({ _id: reply.parentId }, { $set: { metadata: file } });
    const rooms: number[] = [];
    const contextOf: (input: FilesInput) => Promise<FilesContext> = async ({
      budgetTokens,
      share,
    }) => {
      rooms.push(await budgetTokens, share ?? 0);
      return { text: 'FILES', images: [], passages: [], receipt: [] };
    };
    const contributors = [contributorOf('persona', { text: 'word '.repeat(1_000) })];
    const { provider, prompts } = recordingProvider();
    await rig.runner({ provider, contributors, files: { contextOf } }).run(jobOf(reply));
    expect(rooms[0]).toBeLessThan(9_000);
    expect(rooms[0]).toBeGreaterThan(8_700);
    expect(rooms[1]).toBe(0.5);
    expect(prompts[0]?.[0]?.content).toMatch(/word \n\nFILES$/);
  });
});
