import { describe, expect, test } from 'vitest';
import { userPrincipal } from '../../../access/index.ts';
import type { Unread } from '../../../contract/files.ts';
import type { FilesInput } from '../../context.ts';
import type { FileRecord } from '../library/file-record.ts';
import { contextOf, contextOfFiles } from './files-context.ts';
import {
  ask,
  askFiles,
  featureOf,
  fileOf,
  filler,
  OWNER,
  pagesOf,
  textsOf,
} from './retrieval.fixture.ts';

/** A message that names `files`. */
const inputOf = (files: FileRecord[]): FilesInput => ({
  ownerId: OWNER,
  conversationId: 'c',
  replyId: 'r',
  path: [{ id: '1', role: 'user', content: 'Hello', fileIds: files.map(({ id }) => id) }],
  budgetTokens: 8_000,
  signal: new AbortController().signal,
});

describe('texts that fit in half of the budget', () => {
  test('are given whole, without repetition, as passages', async () => {
    const file = fileOf();
    const pages = pagesOf(filler(1).repeat(3), filler(2));
    const { passages, receipt, text } = await ask('Anything about an albatross?', [file, pages]);
    expect(receipt).toMatchObject([{ given: 'whole' }]);
    expect(text).toContain('the whole text');
    for (const { n, text: page } of pages) {
      const given = passages.filter((passage) => passage.page === n).map((passage) => passage.text);
      expect(given.join(' ')).toBe(page.trim());
    }
  });
});

test('files with the same name are told apart, the next version of a file too', async () => {
  const [first, second] = ['2026-01-05', '2026-03-07'].map((day) =>
    fileOf({ name: 'lease.pdf', createdAt: new Date(day) }),
  );
  const scan = fileOf({ name: 'lease.pdf', state: 'waiting', createdAt: new Date('2026-03-08') });
  const context = await askFiles({
    said: ['What is the rent?'],
    texts: new Map([
      [second!, pagesOf('The rent is 950 EUR.')],
      [first!, pagesOf('The rent is 900 EUR.')],
      [fileOf({ name: 'offer.pdf' }), pagesOf('An offer.')],
    ]),
    others: [scan],
  });
  const which = (n: number, day: string) => `(file ${n} of 3 with this name, uploaded ${day})\n`;
  expect(context.text).toContain(
    `"lease.pdf", page 1 ${which(1, '2026-01-05')}The rent is 900 EUR.`,
  );
  expect(context.text).toContain(
    `"lease.pdf", page 1 ${which(2, '2026-03-07')}The rent is 950 EUR.`,
  );
  expect(context.text).toMatch(
    /^- "lease\.pdf": This file could not .* \(file 3 of 3 with this name, uploaded 2026-03-08\)$/m,
  );
  expect(context.text).toContain('"offer.pdf", page 1\n');
});

describe('files without text', () => {
  test('have a receipt with the reason, and a line in the prompt', async () => {
    const message = 'The file is locked with a password. Remove it and upload the file again.';
    const others = [
      fileOf({ name: 'locked.pdf', state: 'failed', problem: { code: 'encrypted', message } }),
      fileOf({ name: 'slow.pdf', state: 'reading' }),
      fileOf({ name: 'new.pdf', state: 'waiting' }),
    ];
    const empty = fileOf({ name: 'empty.pdf' });
    const context = await askFiles({
      said: ['Hello'],
      texts: new Map([[empty, pagesOf('', ' ')]]),
      others,
    });
    const reading = 'It is still being read. Ask again in a moment.';
    expect(context.receipt.map(({ name, given, reason }) => [name, given, reason])).toEqual([
      ['empty.pdf', 'unread', 'It contains no text.'],
      ['locked.pdf', 'unread', message],
      ['slow.pdf', 'unread', reading],
      ['new.pdf', 'unread', reading],
    ]);
    expect(context.text).toContain(
      `- "locked.pdf": This file could not be given to you. ${message}`,
    );
    expect(context.passages).toEqual([]);
  });

  test('do not prevent the text of the others', async () => {
    const others = [fileOf({ name: 'slow.pdf', state: 'reading' })];
    const texts = new Map([[fileOf(), pagesOf('The rent is 900 EUR.')]]);
    const { receipt, passages } = await askFiles({ said: ['What is the rent?'], texts, others });
    expect(receipt.map(({ given }) => given)).toEqual(['whole', 'unread']);
    expect(passages).toHaveLength(1);
  });

  test('a text that the store does not return is reported, and the reply continues', async () => {
    const lost = fileOf({ name: 'lost.pdf' });
    const warnings: unknown[] = [];
    const { receipt } = await askFiles({
      said: ['Hello'],
      texts: new Map(),
      others: [lost],
      warnings,
    });
    expect(receipt).toMatchObject([{ given: 'unread', reason: /unavailable/ }]);
    // Under this name the log describes the error, and leaves out what it holds.
    expect(warnings).toEqual([[{ err: expect.any(Error), fileId: lost.id }, expect.any(String)]]);
  });

  test('a text that is lost during the search is reported, and the reply continues', async () => {
    const file = fileOf();
    const texts = textsOf(new Map([[file, pagesOf('The rent is 900 EUR.')]]));
    const warnings: unknown[] = [];
    const files = featureOf({
      texts: { ...texts, pagesOf: () => Promise.reject(new Error('gone')) },
      log: { warn: (fields: unknown) => void warnings.push(fields) } as never,
    });
    const { receipt, text } = await contextOfFiles(files, inputOf([file]), [file]);
    expect(receipt).toMatchObject([{ given: 'unread', reason: /unavailable/ }]);
    expect(warnings).toEqual([{ err: new Error('gone'), conversationId: 'c' }]);
    expect(text).toContain('could not be given to you');
  });

  test('that was read only in part is reported as such', async () => {
    const texts = new Map([[fileOf({ truncated: true }), pagesOf('The rent is 900 EUR.')]]);
    const { text } = await askFiles({ said: ['What is the rent?'], texts });
    expect(text).toContain('Only the beginning of this very long file was read.');
  });
});

describe('pages that were not read', () => {
  const pages = pagesOf('The rent is 900 EUR.');
  const unread: Unread[] = [
    { kind: 'picture', count: 4, pages: [2, 3, 4, 7] },
    { kind: 'no_text', count: 120, pages: [9, 11] },
    { kind: 'font', count: 1, pages: [12] },
  ];

  test('are named in the prompt, with the reason', async () => {
    const { text } = await ask('What is the rent?', [fileOf({ name: 'lease.pdf', unread }), pages]);
    expect(text).toContain(
      '- "lease.pdf": Not all of this file was read: pages 2–4 and 7 are pictures whose text was not recognised; pages 9, 11 and 118 more are pictures in which no text was recognised; page 12 has a font that does not say which letters it shows. When the answer may stand there, say that these pages were not read.',
    );
  });

  test('are named as such while they are recognised', async () => {
    const file = fileOf({ unread: unread.slice(0, 1), recognition: { done: 1, total: 4 } });
    const { text } = await ask('What is the rent?', [file, pages]);
    expect(text).toContain('are pictures whose text is still being recognised.');
    const scan = await ask('What is the rent?', [file, pagesOf('')]);
    expect(scan.receipt).toMatchObject([
      { given: 'unread', reason: 'Its text is still being recognised. Ask again in a moment.' },
    ]);
  });

  test('are not named of an image, whose only page is a picture', async () => {
    const photo = fileOf({ kind: 'image', pages: 1, unread: unread.slice(0, 1) });
    expect((await ask('What is the rent?', [photo, pages])).text).not.toContain('Not all');
  });
});

describe('images', () => {
  const image = { name: 'photo.png', type: 'image/png', bytes: Buffer.from('x') };

  test('that the model sees are given as images, without text', async () => {
    const photo = fileOf({ name: 'photo.png', kind: 'image' });
    const images = new Map([[photo.id, image]]);
    const context = await askFiles({
      said: ['What is it?'],
      texts: new Map(),
      others: [photo],
      images,
    });
    expect(context).toEqual({
      text: '',
      images: [image],
      passages: [],
      receipt: [{ fileId: photo.id, name: 'photo.png', given: 'image' }],
    });
  });

  test('that the model does not see are given as their text, if they have any', async () => {
    const scan = fileOf({ name: 'scan.png', kind: 'image' });
    const blank = fileOf({ name: 'blank.png', kind: 'image' });
    const context = await ask(
      'What is the rent?',
      [scan, pagesOf('The rent is 900 EUR.')],
      [blank, pagesOf('')],
    );
    expect(context.receipt.map(({ given }) => given)).toEqual(['whole', 'unread']);
    expect(context.receipt[1]?.reason).toContain('not shown this image');
  });
});

test('a conversation without files has no context', async () => {
  const nothing = { text: '', images: [], passages: [], receipt: [] };
  expect(await askFiles({ said: ['Hello'], texts: new Map() })).toEqual(nothing);
});

const EMPTY = featureOf({ texts: textsOf(new Map()) });

test('files that no message of the path names are ignored', async () => {
  expect((await contextOfFiles(EMPTY, inputOf([]), [fileOf()])).receipt).toEqual([]);
});

test('a file that somebody else shares is waited for while it is read', async () => {
  const grants = [{ principal: userPrincipal(OWNER), role: 'viewer' as const }];
  const shared = fileOf({ ownerId: 'b'.repeat(24), state: 'reading', grants });
  let state: FileRecord['state'] = 'reading';
  const files = featureOf({
    texts: textsOf(new Map([[shared, pagesOf('The rent is 900 EUR.')]])),
    now: () => new Date(),
    records: {
      findMany: async () => [],
      findSharedAmong: async () => [{ ...shared, state }],
    } as never,
    others: { workspaces: { places: async () => [] } } as never,
    readings: {
      countUnfinished: async ({ ownerId }: { ownerId: string }) => {
        if (ownerId !== shared.ownerId || state === 'ready') return 0;
        state = 'ready';
        return 1;
      },
    } as never,
  });
  expect((await contextOf(files, inputOf([shared]))).receipt).toMatchObject([{ given: 'whole' }]);
});

test('an aborted reply gets no context', async () => {
  const file = fileOf();
  const input = { ...inputOf([file]), signal: AbortSignal.abort(new Error('stopped')) };
  await expect(contextOfFiles(EMPTY, input, [file])).rejects.toThrow('stopped');
});
