import { describe, expect, test } from 'vitest';
import type { ContextInput } from '../../context.ts';
import type { FileRecord } from '../file-record.ts';
import { createFilesContext } from './files-context.ts';
import { askFiles, fileOf, OWNER, pagesOf, textsOf } from './retrieval.fixture.ts';

/** A page of sentences about nothing else, in the language of the file. */
const FILLERS = {
  en: (n: number) =>
    `Section ${n} describes how the committee reviews ordinary proposals each season. `,
  de: (n: number) =>
    `Abschnitt ${n} beschreibt, wie der Ausschuss die üblichen Vorschläge jedes Jahr prüft. `,
  fr: (n: number) =>
    `La section ${n} décrit comment le comité examine les propositions ordinaires chaque année. `,
  ru: (n: number) =>
    `Раздел ${n} описывает, как комитет рассматривает обычные предложения каждый год. `,
  ja: (n: number) => `第${n}節では、委員会が毎年通常の提案をどのように審査するかを説明します。`,
  zh: (n: number) => `第${n}节说明委员会每年如何审查一般提案以及相关程序。`,
  ko: (n: number) => `제${n}절은 위원회가 매년 일반 제안을 어떻게 검토하는지 설명합니다. `,
};
type FillerLanguage = keyof typeof FILLERS;

const filler = (page: number, language: FillerLanguage = 'en') =>
  FILLERS[language](page).repeat(12);

/** 60 pages, the fact in the middle of page 37. */
const sixtyPages = (fact = '', language: FillerLanguage = 'en') =>
  pagesOf(
    ...Array.from({ length: 60 }, (_, at) => {
      const text = filler(at + 1, language);
      return at === 36 ? `${text}${fact} ${text}` : text;
    }),
  );

const ask = (said: string | string[], ...files: [FileRecord, ReturnType<typeof pagesOf>][]) =>
  askFiles({ said: [said].flat(), texts: new Map(files) });

describe('a fact on page 37 of 60 is among the passages', () => {
  test.each([
    [
      'en',
      'The reactor was shut down after a coolant leak in Hall B.',
      'Why was the reactor shut down?',
    ],
    ['en', 'Invoice A-113 was paid on 2023-05-17.', 'When was invoice A113 paid?'],
    ['en', 'Employees may claim § 5 benefits.', 'What does § 5 say?'],
    ['de', 'Die Kündigungsfrist beträgt drei Monate.', 'Welche Kündigungsfristen gelten?'],
    ['de', 'Die Miete beträgt 900 Euro.', 'Wie hoch ist die Miete?'],
    ['fr', 'Le loyer s’élève à 900 euros.', 'Quel est le montant du loyer ?'],
    ['ru', 'Срок действия договора составляет три года.', 'Какой срок у договоров?'],
    ['ja', '契約の解約通知期間は三か月です。', '解約通知の期間はどのくらいですか？'],
    ['zh', '合同的解约通知期为三个月。', '解约通知期是多久？'],
    ['ko', '임대료는 매월 900유로입니다.', '임대료가 얼마인가요?'],
  ] as const)('%s: %s', async (language, fact, question) => {
    const file = fileOf();
    const { passages, receipt, text } = await ask(question, [file, sixtyPages(fact, language)]);
    expect(passages.some((passage) => passage.page === 37 && passage.text.includes(fact))).toBe(
      true,
    );
    expect(passages.length).toBeLessThanOrEqual(8);
    expect(receipt).toEqual([{ fileId: file.id, name: 'report.pdf', given: 'passages' }]);
    expect(text).toContain(fact);
  });

  test('in a cell of a table, with the columns in the label', async () => {
    const rows = Array.from({ length: 400 }, (_, at) => [
      `Item ${at}`,
      `Colour ${at % 7}`,
      `${at * 3} EUR`,
    ]);
    const lines = [['Product', 'Colour', 'Price'], ...rows].map((row) => row.join(' | '));
    const text = lines.join('\n');
    const [product, colour, price] = ['Product', 'Colour', 'Price'].map((cell) => {
      const start = text.indexOf(cell);
      return { text: cell, start, end: start + cell.length };
    });
    const head = [product, colour, price].flatMap((cell) => cell ?? []);
    const table = [{ n: 1, text, rows: [head] }];
    const context = await ask('What is the price of Item 321?', [fileOf({ kind: 'table' }), table]);
    const found = context.passages.filter((passage) =>
      passage.text.includes('Item 321 | Colour 6 | 963 EUR'),
    );
    expect(found).toHaveLength(1);
    expect(context.text).toContain('columns: Product | Colour | Price');
  });
});

describe('nothing is given for a question that no file answers', () => {
  test.each([
    ['en', 'What is the wingspan of an albatross?'],
    ['de', 'Welche Flügelspannweite hat ein Albatros?'],
    ['fr', 'Quelle est l’envergure d’un albatros ?'],
    ['zh', '信天翁的翼展是多少？'],
    ['en', 'What is on page 99?'],
  ] as const)('%s: %s', async (language, question) => {
    const { passages, receipt, text } = await ask(question, [fileOf(), sixtyPages('', language)]);
    expect(passages).toEqual([]);
    expect(receipt).toMatchObject([{ given: 'none' }]);
    expect(text).toContain('No passage of this conversation’s files fits the question.');
  });
});

describe('the passages of a question', () => {
  test('are those of the page that it names', async () => {
    const { passages } = await ask('What is on page 37?', [fileOf(), sixtyPages('A fact.')]);
    expect(new Set(passages.map(({ page }) => page))).toEqual(new Set([37]));
  });

  test('are found by the question before it, when it is short', async () => {
    const fact = 'The reactor was shut down after a coolant leak in Hall B.';
    const said = ['Why was the reactor shut down?', 'and who noticed that?'];
    const { passages } = await ask(said, [fileOf(), sixtyPages(fact)]);
    expect(passages.some(({ text }) => text.includes(fact))).toBe(true);
  });

  test('are numbered in the order of files, newest first, and pages; offsets are those of the page', async () => {
    const [older, newer] = [fileOf({ name: 'older.pdf' }), fileOf({ name: 'newer.pdf' })];
    const texts = new Map([
      [older, sixtyPages('The rent is 900 EUR.')],
      [newer, sixtyPages('The rent is 800 EUR.')],
    ]);
    const create = createFilesContext({
      texts: textsOf(texts),
      imagesOf: async () => new Map(),
      log: { warn: () => undefined },
    });
    const path: ContextInput['path'] = [
      { id: '1', role: 'user', content: 'Hello', fileIds: [older.id] },
      { id: '2', role: 'assistant', content: 'Hello', fileIds: [] },
      { id: '3', role: 'user', content: 'What is the rent?', fileIds: [newer.id] },
    ];
    const { signal } = new AbortController();
    const ids = { ownerId: OWNER, conversationId: 'c', replyId: 'r' };
    const context = await create({ ...ids, path, budgetTokens: 8_000, signal }, [older, newer]);
    expect(context.receipt.map(({ name }) => name)).toEqual(['newer.pdf', 'older.pdf']);
    expect(context.passages.map(({ id }) => id)).toEqual(
      context.passages.map((_, at) => `p${at + 1}`),
    );
    expect(context.passages[0]?.fileName).toBe('newer.pdf');
    expect(context.passages.at(-1)?.fileName).toBe('older.pdf');
    for (const { fileId, page, start, end, text } of context.passages) {
      const pages = fileId === older.id ? texts.get(older) : texts.get(newer);
      expect(pages?.[page - 1]?.text.slice(start, end)).toBe(text);
    }
  });

  test('of equal texts are given once, and the label names the other file', async () => {
    const fact = 'The reactor was shut down after a coolant leak in Hall B.';
    const [first, copy] = [fileOf({ name: 'first.pdf' }), fileOf({ name: 'copy.docx' })];
    const context = await ask(
      'Why was the reactor shut down?',
      [first, sixtyPages(fact)],
      [copy, sixtyPages(fact)],
    );
    const texts = context.passages.map(({ text }) => text);
    expect(new Set(texts).size).toBe(texts.length);
    expect(context.text).toContain(
      '[p1] "first.pdf", page 37; the same text is in "copy.docx", page 37',
    );
    expect(context.receipt).toMatchObject([{ given: 'passages' }, { given: 'passages' }]);
  });

  test('come from every file that is nearly as good as the best', async () => {
    const often = pagesOf(
      ...Array.from({ length: 60 }, (_, at) => `${filler(at)} The rent is ${at} EUR, a rent.`),
    );
    const once = sixtyPages('The rent is 700 EUR.');
    const second = fileOf({ name: 'second.pdf' });
    const { passages } = await ask('What is the rent?', [fileOf(), often], [second, once]);
    expect(passages.filter(({ fileId }) => fileId === second.id)).toHaveLength(1);
    expect(passages).toHaveLength(8);
  });

  test('come from the file that it names only', async () => {
    const [a, b] = [fileOf({ name: 'Lease A.pdf' }), fileOf({ name: 'Lease B.pdf' })];
    const texts = [sixtyPages('The rent is 900 EUR.'), sixtyPages('The rent is 800 EUR.')] as const;
    const { passages } = await ask(
      'What is the rent in lease b.pdf?',
      [a, texts[0]],
      [b, texts[1]],
    );
    expect(new Set(passages.map(({ fileId }) => fileId))).toEqual(new Set([b.id]));
  });

  test('fit in half of the budget', async () => {
    const pages = pagesOf(
      ...Array.from({ length: 60 }, (_, at) => `租金是${at}元。${filler(at, 'zh')}`.repeat(3)),
    );
    const context = await askFiles({
      said: ['租金是多少？'],
      texts: new Map([[fileOf(), pages]]),
      budgetTokens: 8_000,
    });
    const length = context.passages.reduce((sum, { text }) => sum + text.length, 0);
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThanOrEqual(4_000);
  });
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

describe('a request about files as a whole', () => {
  test('is given their beginning and samples of the rest, within half of the budget', async () => {
    const { passages, text } = await ask('Summarise this file', [fileOf(), sixtyPages()]);
    const pages = passages.map(({ page }) => page);
    expect(pages.slice(0, 3)).toEqual([1, 2, 3]);
    expect(pages.at(-1)).toBe(60);
    expect(passages.length).toBeGreaterThan(8);
    expect(passages.reduce((sum, passage) => sum + passage.text.length, 0)).toBeLessThan(16_000);
    expect(text).toContain('passages from all over the files');
  });

  test('is given passages of each of them', async () => {
    const [a, b] = [fileOf(), fileOf()];
    const { passages } = await ask(
      'Compare these documents, summarise',
      [a, sixtyPages()],
      [b, sixtyPages('x')],
    );
    expect(new Set(passages.map(({ fileId }) => fileId))).toEqual(new Set([a.id, b.id]));
  });

  test('may use words that no file has, when the message brings the files and asks no question', async () => {
    const { passages } = await ask('Grade my essay', [fileOf(), sixtyPages()]);
    expect(passages.length).toBeGreaterThan(0);
  });

  test('a question in another language than the file is given the same, and the prompt says why', async () => {
    const { passages, text } = await ask('Wie lautet die Flügelspannweite von dem Vogel?', [
      fileOf(),
      sixtyPages(),
    ]);
    expect(passages.length).toBeGreaterThan(0);
    expect(text).toContain('in another language than the question');
  });
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

  test('do not keep the others from being given', async () => {
    const others = [fileOf({ name: 'slow.pdf', state: 'reading' })];
    const texts = new Map([[fileOf(), pagesOf('The rent is 900 EUR.')]]);
    const { receipt, passages } = await askFiles({ said: ['What is the rent?'], texts, others });
    expect(receipt.map(({ given }) => given)).toEqual(['whole', 'unread']);
    expect(passages).toHaveLength(1);
  });

  test('a text that the store does not give is reported, and the reply goes on', async () => {
    const lost = fileOf({ name: 'lost.pdf' });
    const warnings: unknown[] = [];
    const { receipt } = await askFiles({
      said: ['Hello'],
      texts: new Map(),
      others: [lost],
      warnings,
    });
    expect(receipt).toMatchObject([{ given: 'unread', reason: /unavailable/ }]);
    expect(warnings).toHaveLength(1);
  });

  test('that was read only in part is said to be so', async () => {
    const texts = new Map([[fileOf({ truncated: true }), pagesOf('The rent is 900 EUR.')]]);
    const { text } = await askFiles({ said: ['What is the rent?'], texts });
    expect(text).toContain('Only the beginning of this very long file was read.');
  });
});

describe('images', () => {
  const image = { name: 'photo.png', type: 'image/png', bytes: Buffer.from('x') };

  test('that the model is shown are given as images, without text', async () => {
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

  test('that the model is not shown are given as their text, if they have any', async () => {
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

test('files of other users are ignored', async () => {
  const foreign = fileOf({ ownerId: 'd'.repeat(24) });
  const context = await ask('What is the rent?', [foreign, pagesOf('The rent is 900 EUR.')]);
  expect(context).toEqual({ text: '', images: [], passages: [], receipt: [] });
});

test('files that no message of the path names are ignored', async () => {
  const create = createFilesContext({
    texts: textsOf(new Map()),
    imagesOf: async () => new Map(),
    log: { warn: () => undefined },
  });
  const path: ContextInput['path'] = [{ id: '1', role: 'user', content: 'Hello', fileIds: [] }];
  const { signal } = new AbortController();
  const input = {
    ownerId: OWNER,
    conversationId: 'c',
    replyId: 'r',
    path,
    budgetTokens: 8_000,
    signal,
  };
  expect((await create(input, [fileOf()])).receipt).toEqual([]);
});
