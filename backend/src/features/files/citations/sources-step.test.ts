import { describe, expect, it, vi } from 'vitest';
import { sourceHref } from '../../../contract/limits.ts';
import type { FilesReceipt } from '../../../contract/messages.ts';
import { COMPARING_CARDS } from '../../../contract/plans.ts';
import { AppError } from '../../../errors.ts';
import {
  type JsonModel,
  type JsonRequest,
  ProviderError,
  StructuredAnswerError,
} from '../../../llm/index.ts';
import { ownPayer } from '../../payer.ts';
import type { UsageService } from '../../usage/index.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileRecord } from '../library/file-record.ts';
import { sourcesStep } from './sources-step.ts';

const settings = { persona: null, depth: 'balanced', memory: 'on', temporary: false } as const;

const OWNER = '1'.repeat(24);
const CONVERSATION = '2'.repeat(24);
const LEASE = 'a'.repeat(24);
const OFFER = 'b'.repeat(24);

const file = (id: string, fields: Partial<FileRecord> = {}): FileRecord => ({
  id,
  ownerId: OWNER,
  name: id === LEASE ? 'lease.pdf' : 'offer.pdf',
  type: 'application/pdf',
  kind: 'pdf',
  size: 10,
  sha256: id.repeat(2),
  state: 'ready',
  truncated: false,
  hasThumbnail: false,
  inLibrary: false,
  conversationIds: [CONVERSATION],
  formerOwners: [],
  formerUses: [],
  grants: [],
  createdAt: new Date(0),
  ...fields,
});

const TEXTS: Record<string, string> = {
  [LEASE]: 'The rent is 900 euros. Dogs are allowed.',
  [OFFER]: 'The rent is 950 euros.',
};

const link = (n: number, fileId: string, [page, start, end]: [number, number, number]) =>
  `[${n}](${sourceHref({ fileId, page, start, end })})`;

type Comparisons = { topic: string; sides: { quoteId: string; value: string }[] }[];

interface Rig {
  files?: FileRecord[];
  isPro?: boolean;
  texts?: Record<string, string>;
  /** The model's answer; by default nothing that fits the schema. */
  model?: Comparisons | Error;
  /** Refused for a user without quota. */
  hasQuota?: boolean;
  /** Of the reply. */
  filesReceipt?: FilesReceipt[];
}

const USED = {
  promptTokens: 50,
  cachedTokens: 0,
  completionTokens: 9,
  reasoningTokens: 0,
  model: 'm',
};
const NO_ANSWER = new StructuredAnswerError('file_comparisons', USED);

/** The metadata that the step stores with a reply of this text. */
async function run(
  content: string,
  {
    files = [file(LEASE), file(OFFER)],
    isPro = false,
    texts = TEXTS,
    model = NO_ANSWER,
    hasQuota = true,
    filesReceipt = [],
  }: Rig = {},
) {
  const asked: JsonRequest<unknown>[] = [];
  const jsonModel: Pick<JsonModel, 'answer'> = {
    answer: async (request) => {
      asked.push(request);
      if (model instanceof Error) throw model;
      return { value: request.schema.parse({ comparisons: model }), usage: USED, calls: 1 };
    },
  };
  const usage = {
    reserve: vi.fn<UsageService['reserve']>(async () => {
      if (!hasQuota) throw new AppError('quota_exceeded', 'Your tokens are used up.');
      return { promptTokens: 100, replyTokens: 600 };
    }),
    settle: vi.fn<UsageService['settle']>(async () => {}),
    release: vi.fn<UsageService['release']>(async () => {}),
  };
  const entitlementsOf = async () => ({ features: isPro ? [COMPARING_CARDS] : [] });
  const findMany = vi.fn<(ownerId: string, ids: string[]) => Promise<FileRecord[]>>(
    async (ownerId, ids) =>
      files.filter((candidate) => candidate.ownerId === ownerId && ids.includes(candidate.id)),
  );
  const feature = {
    records: { findMany, findSharedAmong: async () => [] },
    texts: { pagesOf: async ({ id }: FileRecord) => [{ n: 1, text: texts[id] ?? '' }] },
    others: { usage, billing: { entitlementsOf } },
  };
  const step = sourcesStep(feature as unknown as FilesFeature, jsonModel);
  const metadata = await step.run({
    conversationId: CONVERSATION,
    ownerId: OWNER,
    payer: ownPayer(OWNER),
    run: 1,
    message: { id: 'm', content: 'How much?', createdAt: new Date() },
    reply: { id: 'r', attempt: 1, content, settings, metadata: { filesReceipt } },
    signal: new AbortController().signal,
  });
  const comparisons = metadata?.insightCards?.flatMap(({ comparison }) => comparison ?? []);
  return { metadata, comparisons, findMany, step, asked, usage };
}

const RENT = link(1, LEASE, [1, 0, 22]);

describe('the post-step of sources', () => {
  it('stores the text of the file at each cited place, with a card', async () => {
    const { metadata } = await run(`It is 900 ${RENT}, with dogs ${link(2, LEASE, [1, 23, 40])}.`);
    const citation = {
      n: 1,
      fileId: LEASE,
      fileName: 'lease.pdf',
      sha256: LEASE.repeat(2),
      page: 1,
      start: 0,
      end: 22,
      quote: 'The rent is 900 euros.',
    };
    expect(metadata?.citations?.[0]).toEqual(citation);
    expect(metadata?.insightCards).toEqual([
      { insight: 'The rent is 900 euros.', citation },
      { insight: 'Dogs are allowed.', citation: metadata?.citations?.[1] },
    ]);
  });

  it('stores a place that is cited twice once, in the order of the numbers', async () => {
    const files = [file(OFFER), file(LEASE)];
    const { metadata } = await run(`${RENT} ${link(2, OFFER, [1, 0, 22])} ${RENT}`, { files });
    expect(metadata?.citations?.map(({ n }) => n)).toEqual([1, 2]);
  });

  it.each([
    ['a file of another user', [file(LEASE, { ownerId: '9'.repeat(24) })]],
    ['a file that the conversation does not use', [file(LEASE, { conversationIds: [] })]],
    ['a deleted file', []],
  ])('makes no citation of a link to %s', async (_, files) => {
    expect((await run(`It is 900 ${RENT}.`, { files })).metadata).toEqual({});
  });

  it('cites a file that only the persona of the reply brings', async () => {
    const files = [file(LEASE, { conversationIds: [] })];
    const filesReceipt = [{ fileId: LEASE, name: 'lease.pdf', given: 'passages' as const }];
    const { metadata } = await run(`It is 900 ${RENT}.`, { files, filesReceipt });
    expect(metadata?.citations).toMatchObject([{ n: 1, fileId: LEASE }]);
  });

  it.each([
    ['a page that the file does not have', link(1, LEASE, [2, 0, 5])],
    ['a place behind the end of the page', link(1, LEASE, [1, 30, 41])],
    ['an empty place', link(1, LEASE, [1, 5, 5])],
    ['nothing, in code', `\`${RENT}\``],
  ])('makes no citation of a link to %s', async (_, content) => {
    expect((await run(content)).metadata).toEqual({});
  });

  it('cuts the text of a card at a word end, and keeps the quotation whole', async () => {
    const long = 'seven words '.repeat(50).trim();
    const { metadata } = await run(link(1, LEASE, [1, 0, long.length]), {
      texts: { [LEASE]: long },
    });
    expect(metadata?.citations?.[0]?.quote).toBe(long);
    const insight = metadata?.insightCards?.[0]?.insight ?? '';
    expect(insight).toMatch(/words? …$|seven …$/);
    expect(insight.length).toBeLessThanOrEqual(402);
  });

  it('compares files for plans that have it', async () => {
    const content = `${RENT} ${link(2, OFFER, [1, 0, 22])}`;
    const cardsOf = async (isPro: boolean) =>
      (await run(content, { isPro })).metadata?.insightCards;
    expect(await cardsOf(false)).toHaveLength(2);
    expect((await cardsOf(true))?.[0]).toMatchObject({
      insight: 'rent: “900 euros” (lease.pdf) – “950 euros” (offer.pdf)',
    });
  });

  const NOTICE: Rig = {
    isPro: true,
    texts: {
      [LEASE]: 'Die Kündigungsfrist beträgt drei Monate.',
      [OFFER]: 'Gekündigt werden kann mit einer Frist von sechs Monaten.',
    },
  };
  const BOTH = `${link(1, LEASE, [1, 0, 40])} ${link(2, OFFER, [1, 0, 56])}`;
  const notice = (first: string, second: string, topic = 'Kündigungsfrist'): Comparisons => [
    {
      topic,
      sides: [
        { quoteId: 'q1', value: first },
        { quoteId: 'q2', value: second },
      ],
    },
  ];

  it("shows the model's findings with the files' values, and charges them as insights", async () => {
    const model = notice('drei Monate', 'sechs  Monaten');
    const { comparisons, usage } = await run(BOTH, { ...NOTICE, model });
    expect(comparisons).toMatchObject([
      { topic: 'Kündigungsfrist', sides: [{ value: 'drei Monate' }, { value: 'sechs Monaten' }] },
    ]);
    const key = { replyId: 'r', attempt: 1, kind: 'insights', run: 1 };
    expect(usage.settle).toHaveBeenCalledWith(ownPayer(OWNER), key, USED);
  });

  it.each([
    ['de', 'Hunde sind erlaubt.', 'Hunde sind nicht erlaubt.', 'erlaubt', 'nicht erlaubt'],
    ['fr', 'Le préavis est de trois mois.', 'Le préavis : six mois.', 'trois mois', 'six mois'],
    ['es', 'El plazo es de 3 meses.', 'Un plazo de 6 meses.', '3 meses', '6 meses'],
    ['tr', 'Süre üç aydır.', 'Süre altı aydır.', 'üç aydır', 'altı aydır'],
  ])('compares files in the language %s', async (_, lease, offer, first, second) => {
    const content = `${link(1, LEASE, [1, 0, lease.length])} ${link(2, OFFER, [1, 0, offer.length])}`;
    const texts = { [LEASE]: lease, [OFFER]: offer };
    const model = notice(first, second, 'x');
    const { comparisons } = await run(content, { isPro: true, texts, model });
    expect(comparisons).toMatchObject([{ sides: [{ value: first }, { value: second }] }]);
  });

  it.each([
    ['a value that the file does not have', notice('vier Monate', 'sechs Monaten')],
    ['a part of a word', notice('drei Monat', 'sechs Monaten')],
    ['the same value twice', notice('Monate', 'Monate')],
    ['a value of the other file', notice('sechs Monaten', 'drei Monate')],
    ['a topic of many words', notice('drei Monate', 'sechs Monaten', 'a '.repeat(40))],
    ['one file', [{ topic: 'x', sides: [{ quoteId: 'q1', value: 'drei Monate' }] }]],
    [
      'two places of one file',
      [
        {
          topic: 'x',
          sides: [
            { quoteId: 'q1', value: 'drei' },
            { quoteId: 'q1', value: 'Monate' },
          ],
        },
      ],
    ],
    ['an unknown quotation', [{ topic: 'x', sides: [{ quoteId: 'q9', value: 'drei' }] }]],
  ])('shows no comparison with %s', async (_, model) => {
    const { metadata, comparisons } = await run(BOTH, { ...NOTICE, model });
    expect(comparisons).toEqual([]);
    expect(metadata?.insightCards).toHaveLength(2);
  });

  it.each([
    ['finds nothing', [], 'settle'],
    ['gives no answer that fits', NO_ANSWER, 'settle'],
    ['does not answer', new ProviderError('provider_unavailable', 'Try again.'), 'release'],
  ] as const)('uses the rules when the model %s', async (_, model, end) => {
    const content = `${RENT} ${link(2, OFFER, [1, 0, 22])}`;
    const answer = model instanceof Error ? model : [...model];
    const { comparisons, usage } = await run(content, { isPro: true, model: answer });
    expect(comparisons).toMatchObject([{ topic: 'rent' }]);
    expect(usage[end]).toHaveBeenCalledOnce();
  });

  it('fails and is retried when something other than the model fails', async () => {
    const content = `${RENT} ${link(2, OFFER, [1, 0, 22])}`;
    const model = new Error('The database does not answer.');
    await expect(run(content, { isPro: true, model })).rejects.toThrow(model);
  });

  it('calls no model without quota, in a plan without comparisons, or about one file', async () => {
    const content = `${RENT} ${link(2, OFFER, [1, 0, 22])}`;
    const model = notice('900 euros', '950 euros', 'rent');
    const without = await run(content, { isPro: true, model, hasQuota: false });
    expect(without.comparisons).toMatchObject([{ topic: 'rent' }]);
    const starter = await run(content, { model });
    const one = await run(`${RENT} ${link(2, LEASE, [1, 23, 40])}`, { isPro: true, model });
    for (const { asked } of [without, starter, one]) expect(asked).toEqual([]);
  });

  it('gives quotations, file names and the question as data that cannot pose as delimiters', async () => {
    const files = [file(LEASE, { name: 'a\n=== b' }), file(OFFER)];
    const { asked } = await run(`${RENT} ${link(2, OFFER, [1, 0, 22])}`, {
      files,
      isPro: true,
    });
    const [system, user] = (asked[0]?.messages ?? []).map(({ content }) => content);
    const token = /=== ([0-9a-f]{16}) \[id\]/.exec(system ?? '')?.[1];
    expect(user?.split(`=== ${token}`)).toHaveLength(5);
    expect(user).not.toContain('\n=== b');
    // Files of the same name are different files.
    expect(user).toContain('[q1] file 1: a === b\n');
    expect(user).toContain('[q2] file 2: ');
  });

  it('is needed by replies that were given files or have links, and by no other one', async () => {
    const { step } = await run('');
    expect(step.isNeeded?.({ content: 'Hello', settings })).toBe(false);
    expect(step.isNeeded?.({ content: RENT, settings })).toBe(true);
    const metadata = { filesReceipt: [] };
    expect(step.isNeeded?.({ content: 'Hello', metadata, settings })).toBe(true);
  });
});
