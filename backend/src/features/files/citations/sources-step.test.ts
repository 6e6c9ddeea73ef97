import { describe, expect, it, vi } from 'vitest';
import { sourceHref } from '../../../contract/file-limits.ts';
import type { FileRecord } from '../file-record.ts';
import { createSourcesStep } from './sources-step.ts';

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
  createdAt: new Date(0),
  ...fields,
});

const TEXTS: Record<string, string> = {
  [LEASE]: 'The rent is 900 euros. Dogs are allowed.',
  [OFFER]: 'The rent is 950 euros.',
};

const link = (n: number, fileId: string, [page, start, end]: [number, number, number]) =>
  `[${n}](${sourceHref({ fileId, page, start, end })})`;

interface Rig {
  files?: FileRecord[];
  isPro?: boolean;
  texts?: Record<string, string>;
}

/** What the step stores with a reply of this text. */
async function run(
  content: string,
  { files = [file(LEASE), file(OFFER)], isPro = false, texts = TEXTS }: Rig = {},
) {
  const findMany = vi.fn<(ownerId: string, ids: string[]) => Promise<FileRecord[]>>(
    async (ownerId, ids) =>
      files.filter((candidate) => candidate.ownerId === ownerId && ids.includes(candidate.id)),
  );
  const step = createSourcesStep({
    findMany,
    pagesOf: async ({ id }) => [{ n: 1, text: texts[id] ?? '' }],
    comparesFiles: async () => isPro,
  });
  const metadata = await step.run({
    conversationId: CONVERSATION,
    ownerId: OWNER,
    message: { id: 'm', content: 'How much?', createdAt: new Date() },
    reply: { id: 'r', attempt: 1, content, settings },
    signal: new AbortController().signal,
  });
  return { metadata, findMany, step };
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
      insight: 'On rent, lease.pdf says “900 euros” and offer.pdf says “950 euros”.',
    });
  });

  it('is needed by replies that were given files or have links, and by no other one', async () => {
    const { step } = await run('');
    expect(step.isNeeded?.({ content: 'Hello', settings })).toBe(false);
    expect(step.isNeeded?.({ content: RENT, settings })).toBe(true);
    const metadata = { filesReceipt: [] };
    expect(step.isNeeded?.({ content: 'Hello', metadata, settings })).toBe(true);
  });
});
