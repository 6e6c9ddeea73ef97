import { describe, expect, it } from 'vitest';
import { DEMO_MODEL } from '../../../contract/reply-settings.ts';
import { AppError } from '../../../errors.ts';
import { ProviderError, StructuredAnswerError } from '../../../llm/index.ts';
import type { JsonRequest } from '../../../llm/port.ts';
import type { FilesInput, Rephrasing } from '../../context.ts';
import { ownPayer } from '../../payer.ts';
import type { FilesFeature } from '../feature.ts';
import { contextOfFiles } from './files-context.ts';
import {
  featureOf,
  fileOf,
  filler,
  OWNER,
  pagesOf,
  sixtyPages,
  textsOf,
} from './retrieval.fixture.ts';

const USED = {
  promptTokens: 200,
  cachedTokens: 0,
  completionTokens: 40,
  reasoningTokens: 0,
  model: 'small',
};
const FACT = 'Purchases of property, plant and equipment took 1,577 million.';
const IN_ITS_WORDS = 'Which property and equipment were purchased?';
const QUESTION = 'How large were the capital expenditures of the company?';

interface Options {
  /** The model's answer. */
  answer?: (request: JsonRequest<unknown>) => Promise<unknown>;
  model?: string;
  pages?: ReturnType<typeof pagesOf>;
  said?: string;
  previous?: string;
  reserve?: () => Promise<unknown>;
}

/** Files with a model that knows other words, and a ledger. */
function openRig({
  answer = async () => ({ queries: ['purchases of property, plant and equipment'] }),
  model = 'small',
  pages = sixtyPages(FACT),
  said = QUESTION,
  previous = 'Hello',
  reserve = async () => ({}),
}: Options = {}) {
  const file = fileOf();
  const asked: JsonRequest<unknown>[] = [];
  const calls: unknown[] = [];
  const warnings: unknown[] = [];
  const clock = { now: new Date(0) };
  const stop = new AbortController();
  const usage = {
    reserve: async (_owner: string, request: object) => {
      await reserve();
      calls.push({ reserve: request });
    },
    settle: async (_owner: string, key: object, used: object) => void calls.push({ key, used }),
    release: async (_owner: string, key: object) => void calls.push({ release: key }),
  };
  const files = featureOf({
    texts: textsOf(new Map([[file, pages]])),
    others: { usage } as unknown as FilesFeature['others'],
    rephrasing: { pausedUntil: 0 },
    now: () => clock.now,
    log: { warn: (...warning: unknown[]) => void warnings.push(warning) } as never,
  });
  const jsonModel = {
    model,
    answer: async (request: JsonRequest<unknown>) => {
      asked.push(request);
      return { value: request.schema.parse(await answer(request)), usage: USED, calls: 1 };
    },
  } as unknown as Rephrasing['jsonModel'];
  const rephrasing: Rephrasing = { jsonModel, payer: ownPayer(OWNER), attempt: 2 };
  const input: FilesInput = {
    ownerId: OWNER,
    conversationId: 'c',
    replyId: 'r',
    path: [
      { id: '0', role: 'user', content: previous, fileIds: [file.id] },
      { id: '1', role: 'user', content: said, fileIds: [] },
    ],
    budgetTokens: 4_000,
    rephrasing,
    signal: stop.signal,
  };
  const context = (changes: Partial<FilesInput> = {}) =>
    contextOfFiles(files, { ...input, ...changes }, [file]);
  const isFound = async (changes: Partial<FilesInput> = {}) =>
    (await context(changes)).passages.some(({ text }) => text.includes(FACT));
  const later = (): Partial<FilesInput> => ({
    rephrasing: { jsonModel, payer: ownPayer(OWNER), attempt: 3 },
  });
  return { asked, calls, warnings, clock, stop, later, context, isFound };
}

const KEY = { replyId: 'r', attempt: 2, kind: 'search', run: 1 };

describe('the question in other words', () => {
  it('finds what has none of the words of the question, and is charged once as a search', async () => {
    const rig = openRig();
    expect(await rig.isFound({ rephrasing: undefined })).toBe(false);
    expect(await rig.isFound()).toBe(true);
    expect(rig.calls).toMatchObject([{ reserve: KEY }, { key: KEY, used: USED }]);
  });

  it('is asked for once per attempt, however many calls a panel has', async () => {
    const rig = openRig();
    const found = await Promise.all([rig.isFound(), rig.isFound(), rig.isFound()]);
    expect(found).toEqual([true, true, true]);
    expect(rig.asked).toHaveLength(1);
  });

  it('is asked for with at most 400 tokens, whatever the question and the names of the files', async () => {
    const rig = openRig({ said: `${QUESTION} ${'工具和设备的采购'.repeat(2_000)}` });
    await rig.context();
    const [{ reserve }] = rig.calls as [{ reserve: { promptTokens: number; replyTokens: number } }];
    expect(reserve.promptTokens + reserve.replyTokens).toBeLessThanOrEqual(400);
  });

  it('understands a short question with the one before it', async () => {
    const rig = openRig({ said: 'And in 2017?', previous: QUESTION });
    await rig.context();
    expect(rig.asked[0]?.messages.at(-1)?.content).toContain(`Question: ${QUESTION} And in 2017?`);
  });

  it('leaves the whole page first that the question names', async () => {
    const piers = Array.from({ length: 90 }, (_, at) => `Pier ${at} opens at dawn.`).join(' ');
    const pages = sixtyPages().map((page) => (page.n === 37 ? { ...page, text: piers } : page));
    const rig = openRig({
      answer: async () => ({ queries: ['ordinary proposals', 'committee', 'each season'] }),
      said: 'Show page 37.',
      pages,
    });
    const { passages } = await rig.context();
    const given = passages.filter(({ page }) => page === 37);
    expect([given.length, given[0]?.start, given.at(-1)?.end]).toEqual([3, 0, piers.length]);
  });

  it('takes three queries of 200 characters of what the model answers', async () => {
    const long = `${'filler '.repeat(40)}purchases property plant equipment`;
    const queries = [long, 'b', 'c', 'purchases of property, plant and equipment'];
    const rig = openRig({
      answer: async () => ({ queries: Array.from({ length: 2_000 }, () => queries).flat() }),
    });
    expect(await rig.isFound()).toBe(false);
  });

  it.each([
    ['without other words', undefined, { rephrasing: undefined }],
    ['by the demo model', { model: DEMO_MODEL }, {}],
    ['of a request about the whole file', { said: 'Summarise this file' }, {}],
    ['about a text that is given whole', { pages: pagesOf(filler(1)) }, {}],
  ])('is not asked for: %s', async (_, options, changes) => {
    const rig = openRig(options);
    await rig.context(changes);
    expect([rig.asked, rig.calls]).toEqual([[], []]);
  });
});

describe('without the question in other words, the question is searched for as it is', () => {
  const refused = new AppError('quota_exceeded', 'No quota is left.');
  it.each([
    [
      'the provider fails',
      { answer: () => Promise.reject(new ProviderError('provider_unavailable', 'Down.')) },
      [{ reserve: KEY }, { release: KEY }],
    ],
    [
      'the answer is not of the form',
      { answer: () => Promise.reject(new StructuredAnswerError('search_queries', USED)) },
      [{ reserve: KEY }, { key: KEY, used: USED }],
    ],
    ['the database does not answer', { reserve: () => Promise.reject(new Error('down')) }, []],
  ] as const)('when %s, and the model is not asked for five minutes', async (_, options, calls) => {
    const rig = openRig({ said: IN_ITS_WORDS, ...(options as Options) });
    expect(await rig.isFound()).toBe(true);
    expect(rig.calls).toMatchObject(calls);
    expect(rig.warnings.length).toBeLessThanOrEqual(1);
    rig.calls.length = 0;
    expect(await rig.isFound(rig.later())).toBe(true);
    expect(rig.calls).toEqual([]);
    rig.clock.now = new Date(5 * 60_000);
    expect(await rig.isFound(rig.later())).toBe(true);
    expect(rig.calls).toHaveLength(calls.length);
  });

  it('when no quota is left for it', async () => {
    const rig = openRig({ said: IN_ITS_WORDS, reserve: () => Promise.reject(refused) });
    expect(await rig.isFound()).toBe(true);
    expect([rig.asked, rig.calls, rig.warnings]).toEqual([[], [], []]);
  });

  it('when the model is late: its call is aborted and not charged', async () => {
    const rig = openRig({
      said: IN_ITS_WORDS,
      answer: ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    expect(await rig.isFound()).toBe(true);
    await expect.poll(() => rig.calls).toMatchObject([{ reserve: KEY }, { release: KEY }]);
  });
});

it('a reply that is stopped ends the call, and pauses nothing', async () => {
  const rig = openRig({
    answer: ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  });
  const answering = rig.context();
  await expect.poll(() => rig.asked).toHaveLength(1);
  rig.stop.abort(new Error('stopped'));
  await answering.catch(() => undefined);
  expect(rig.warnings).toEqual([]);
});
