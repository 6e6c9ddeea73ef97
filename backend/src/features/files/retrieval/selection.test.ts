import { describe, expect, test } from 'vitest';
import type { ReadPage } from '../../../reading/index.ts';
import type { FilesInput } from '../../context.ts';
import type { FileRecord } from '../library/file-record.ts';
import { contextOfFiles } from './files-context.ts';
import {
  ask,
  askFiles,
  featureOf,
  fileOf,
  filler,
  OWNER,
  pagesOf,
  sixtyPages,
  textsOf,
} from './retrieval.fixture.ts';
import { estimateTokens } from './token-estimate.ts';

const FILE = fileOf();

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
    ['de', 'Die Baugenehmigung erteilte die Stadt.', 'Welche Genehmigung liegt vor?'],
    ['de', 'Die Haftpflichtversicherung ist neu.', 'Wer ist der Haftpflichtversicherer?'],
    ['de', 'Es leitet Frau Krueger.', 'Wer ist Krüger?'],
    ['de', 'Es leitet Frau Krüger.', 'Wer ist Krueger?'],
    ['en', 'The indemnification survives.', 'Is there an indemnifcation?'],
    ['en', 'Sales were $4,366 million.', 'Where is 4366?'],
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
    const lines = [['Product', 'Colour', 'Price'], ...rows].map((row) => row.join('\t'));
    const table = [lines.slice(0, 200), lines.slice(200)].map((part, at) => ({
      n: at + 1,
      text: `Prices\n${part.join('\n')}`,
      rowsStart: 7,
    }));
    const context = await ask('What is the price of Item 321?', [fileOf({ kind: 'table' }), table]);
    const found = context.passages.filter((passage) =>
      passage.text.includes('Item 321\tColour 6\t963 EUR'),
    );
    expect(found).toHaveLength(1);
    expect(context.text).toContain('columns: Product | Colour | Price');
    expect(context.text).not.toContain('columns: Item');
  });
});

test('a passage is found and named by the head of its page', async () => {
  const statement = `Balance sheets of Nordwind, 2018 and 2017. ${filler(3)} ${'Inventories 4,366 3,966. '.repeat(40)}`;
  const pages = sixtyPages().map((page) => (page.n === 37 ? { ...page, text: statement } : page));
  const { passages, text } = await ask(
    ['Hello', 'What were the inventories of Nordwind in 2018?'],
    [fileOf(), pages],
  );
  const given = passages.filter(({ page }) => page === 37);
  expect(given.length).toBeGreaterThan(1);
  expect(given.some(({ start }) => start === 0)).toBe(true);
  expect(text).not.toContain('the page begins: Balance');
  const short = await askFiles({
    said: ['Hello', 'What were the inventories of Nordwind in 2018?'],
    texts: new Map([[fileOf(), pages]]),
    budgetTokens: 1_000,
  });
  expect(short.passages.every(({ page, start }) => page === 37 && start > 0)).toBe(true);
  expect(
    short.text.match(/the page begins: Balance sheets of Nordwind, 2018 and 2017\./g),
  ).toHaveLength(1);
});

test('a word is told apart from another one by its diacritics', async () => {
  const pages = sixtyPages('Mã hàng là tiên.').map((page) =>
    page.n % 4 === 0 ? { ...page, text: `${page.text} Mã hàng là tiền.` } : page,
  );
  const { passages } = await askFiles({
    said: ['Hello', 'tiên?'],
    texts: new Map([[fileOf(), pages]]),
    budgetTokens: 800,
  });
  expect(new Set(passages.map(({ page }) => page))).toEqual(new Set([37]));
});

test('a page with the words of the question all over it leaves room for another page', async () => {
  const often = Array.from(
    { length: 100 },
    (_, at) => `Check ${at} of the reactor of Hall B. `,
  ).join('');
  const answer = 'The reactor of Hall B leaked in 2019. '.repeat(2);
  const pages = sixtyPages().map((page) => {
    if (page.n === 12) return { ...page, text: often };
    return page.n === 37 ? { ...page, text: answer } : page;
  });
  const { passages } = await askFiles({
    said: ['Hello', 'When did the reactor of Hall B fail?'],
    texts: new Map([[fileOf(), pages]]),
    budgetTokens: 2_000,
  });
  expect(new Set(passages.map(({ page }) => page))).toEqual(new Set([12, 37]));
});

test.each([
  [1 / 4, 1_700, 2_000],
  [1 / 2, 3_500, 4_000],
  [3 / 4, 5_400, 6_000],
])('the passages of a question fill a share of %d of the prompt', async (share, least, most) => {
  const files = featureOf({ texts: textsOf(new Map([[FILE, sixtyPages()]])) });
  const path = [
    {
      id: '1',
      role: 'user' as const,
      content: 'What does the committee review?',
      fileIds: [FILE.id],
    },
  ];
  const ids = { ownerId: OWNER, conversationId: 'c', replyId: 'r' };
  const input = { ...ids, path, budgetTokens: 8_000, share, signal: new AbortController().signal };
  const { text } = await contextOfFiles(files, input, [FILE]);
  expect(estimateTokens(text)).toBeGreaterThan(least);
  expect(estimateTokens(text)).toBeLessThan(most + 500);
});

test('a long message leaves the passages half of the prompt', async () => {
  const files = featureOf({ texts: textsOf(new Map([[FILE, sixtyPages()]])) });
  const content = `What does the committee review? ${'review '.repeat(2_500)}`;
  const path = [{ id: '1', role: 'user' as const, content, fileIds: [FILE.id] }];
  const ids = { ownerId: OWNER, conversationId: 'c', replyId: 'r' };
  const { signal } = new AbortController();
  const input = { ...ids, path, budgetTokens: 8_000, share: 3 / 4, signal };
  const { text } = await contextOfFiles(files, input, [FILE]);
  expect(estimateTokens(text)).toBeLessThan(4_500);
});

describe('nothing is given for a question that no file answers', () => {
  test.each([
    ['en', 'What is the wingspan of an adult albatross over the ocean?'],
    ['de', 'Welche Flügelspannweite hat ein erwachsener Albatros über dem Ozean?'],
    ['fr', 'Quelle est l’envergure d’un albatros adulte au-dessus de l’océan ?'],
    ['zh', '信天翁的翼展和筑巢的地方是什么？'],
    ['en', 'What is on page 99?'],
    ['en', 'Show page 99.'],
  ] as const)('%s: %s', async (language, question) => {
    const { passages, receipt, text } = await ask(question, [fileOf(), sixtyPages('', language)]);
    expect(passages).toEqual([]);
    expect(receipt).toMatchObject([{ given: 'none' }]);
    expect(text).toContain('No passage of this conversation’s files has a word of the question.');
  });
});

test('nothing is given for a message without a question', async () => {
  const { passages } = await ask(['Hello', 'Thank you!'], [fileOf(), sixtyPages()]);
  expect(passages).toEqual([]);
});

describe('the answer to a question may be there', () => {
  const isSample = (text: string) =>
    text.includes('Below are passages from all over the files; they may not answer it.');

  test.each([
    ['in other words, when it has three terms', 'Where is the wingspan of the albatross?'],
    [
      'when it is asked in a known language',
      'Wie lautet die Flügelspannweite von dem Vogel im Meer?',
    ],
    [
      'when it is asked in a language without stop words',
      'Albatrosun kanat açıklığı ne kadardır, denizde mi yaşar?',
    ],
    [
      'when it is asked in another script',
      'Πόσο είναι το άνοιγμα των φτερών του άλμπατρος στη θάλασσα;',
    ],
    ['when its words tell no language', 'wingspan adult albatross ocean metres'],
  ])('%s', async (_, question) => {
    const { passages, text } = await ask(['Hello', question], [fileOf(), sixtyPages()]);
    expect(passages.length).toBeGreaterThan(0);
    expect(isSample(text)).toBe(true);
  });

  test('in a file whose language is unknown', async () => {
    const pages = pagesOf(
      ...Array.from({ length: 60 }, (_, at) => `Tarife ${at}: açıklama. `.repeat(40)),
    );
    const { text } = await ask('What is the wingspan of an adult albatross over the ocean?', [
      fileOf(),
      pages,
    ]);
    expect(isSample(text)).toBe(true);
  });

  test('in passages with few of its words, and the prompt says so', async () => {
    const said =
      'Which committee members buried the treasure that the pirates of the frigate stole near Tortuga?';
    const { passages, text } = await ask(said, [fileOf(), sixtyPages()]);
    expect(passages.length).toBeGreaterThan(0);
    expect(text).toContain('Below are the passages that come closest; they may not answer it.');
  });
});

describe('the passages of a question', () => {
  test('are those of the page that it names', async () => {
    const { passages } = await ask('What is on page 37?', [fileOf(), sixtyPages('A fact.')]);
    expect(new Set(passages.map(({ page }) => page))).toEqual(new Set([37]));
  });

  test('are those of the page with that number printed on it, too', async () => {
    const pages = sixtyPages('A fact.').map((page) => ({ ...page, label: `${page.n - 2}` }));
    const { passages } = await ask('What is on page 37?', [fileOf(), pages]);
    expect(new Set(passages.map(({ page }) => page))).toEqual(new Set([37, 39]));
    const withoutLabels = await ask('Was steht auf Seite 37?', [fileOf(), sixtyPages()]);
    expect(new Set(withoutLabels.passages.map(({ page }) => page))).toEqual(new Set([37]));
  });

  test('are found by the previous question, when it is short', async () => {
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
    const path: FilesInput['path'] = [
      { id: '1', role: 'user', content: 'Hello', fileIds: [older.id] },
      { id: '2', role: 'assistant', content: 'Hello', fileIds: [] },
      { id: '3', role: 'user', content: 'What is the rent?', fileIds: [newer.id] },
    ];
    const { signal } = new AbortController();
    const ids = { ownerId: OWNER, conversationId: 'c', replyId: 'r' };
    const files = featureOf({ texts: textsOf(texts) });
    const input = { ...ids, path, budgetTokens: 8_000, signal };
    const context = await contextOfFiles(files, input, [older, newer]);
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
  });

  test('of a text that stands in many places name a few of them, and stay within the budget', async () => {
    const notice = 'Reactor notice: the hall was closed for the quarterly inspection. '.repeat(10);
    const files = Array.from({ length: 12 }, (_, at): [FileRecord, ReadPage[]] => [
      fileOf({ name: `notice-${at}.pdf` }),
      pagesOf(...Array.from({ length: 80 }, () => notice)),
    ]);
    const { text, receipt } = await askFiles({
      said: ['Hello', 'Why was the reactor hall closed?'],
      texts: new Map(files),
    });
    expect(new Set(text.match(/notice-\d+\.pdf/g)).size).toBe(6);
    expect(text).toMatch(/; and in \d+ more places/);
    expect(estimateTokens(text)).toBeLessThan(4_500);
    expect(new Set(receipt.map(({ given }) => given))).toEqual(new Set(['passages']));
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

  test.each([
    ['report.pdf', 'annual report.pdf'],
    ['annual report.pdf', 'report.pdf'],
  ])(
    'come from the file that it names, whose name ends as that of another: %s, %s',
    async (one, other) => {
      const files = new Map([one, other].map((name) => [fileOf({ name }), sixtyPages()]));
      const named = [...files.keys()].find(({ name }) => name === 'annual report.pdf')?.id;
      const { passages } = await askFiles({
        said: ['Hello', 'What does the committee review in annual report.pdf?'],
        texts: files,
      });
      expect(new Set(passages.map(({ fileId }) => fileId))).toEqual(new Set([named]));
    },
  );

  test('come from all files with the name that it names', async () => {
    const files = [fileOf(), fileOf({ name: 'other.pdf' }), fileOf()];
    const { receipt } = await askFiles({
      said: ['Hello', 'What does the committee review in report.pdf?'],
      texts: new Map(files.map((file) => [file, sixtyPages()])),
    });
    expect(receipt.map(({ given }) => given)).toEqual(['passages', 'none', 'passages']);
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

describe('a request about files as a whole', () => {
  test('gets their beginning and samples of the rest, within half of the budget', async () => {
    const { passages, text } = await ask('Summarise this file', [fileOf(), sixtyPages()]);
    const pages = passages.map(({ page }) => page);
    expect(new Set(pages.slice(0, 5))).toEqual(new Set([1, 2, 3]));
    expect(pages.at(-1)).toBe(60);
    expect(passages.length).toBeGreaterThan(8);
    expect(passages.reduce((sum, passage) => sum + passage.text.length, 0)).toBeLessThan(16_000);
    expect(text).toContain('passages from all over the files');
  });

  test('gets passages of each of them', async () => {
    const [a, b] = [fileOf(), fileOf()];
    const { passages } = await ask(
      'Compare these documents, summarise',
      [a, sixtyPages()],
      [b, sixtyPages('x')],
    );
    expect(new Set(passages.map(({ fileId }) => fileId))).toEqual(new Set([a.id, b.id]));
  });

  test.each(['Grade my essay', 'Can you grade this?', 'Is my homework good?'])(
    'may use words that no file has, when the message attaches the files: %s',
    async (message) => {
      const { passages } = await ask(message, [fileOf(), sixtyPages()]);
      expect(passages.length).toBeGreaterThan(0);
    },
  );

  test('in words that no file has gets nothing, when the message attaches no files', async () => {
    const said = ['Hello', 'Write a poem to the moon and the wolves of the forest'];
    const { passages } = await ask(said, [fileOf(), sixtyPages()]);
    expect(passages).toEqual([]);
  });
});

test('a name is found by a question in another language than the file', async () => {
  const fact = 'The company Nordwind Pumpen was founded in Kiel.';
  const { passages } = await ask(
    'In welchem Jahr und von welchen Personen wurde die Firma Nordwind ursprünglich gegründet?',
    [fileOf(), sixtyPages(fact)],
  );
  expect(passages.length).toBeLessThanOrEqual(8);
  expect(passages.some(({ text }) => text.includes(fact))).toBe(true);
});

test('a question with a long pasted text is searched', async () => {
  const fact = 'The reactor was shut down after a coolant leak in Hall B.';
  const pasted = Array.from({ length: 150 }, (_, at) => `pasted${at}`).join(' ');
  const said = `Which file mentions the reactor and its coolant leak in the hall? ${pasted}`;
  const { passages } = await ask(said, [fileOf(), sixtyPages(fact)]);
  expect(passages.some(({ text }) => text.includes(fact))).toBe(true);
});
