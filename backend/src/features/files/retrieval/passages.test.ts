import { describe, expect, test } from 'vitest';
import {
  cutPassages,
  headOf,
  PASSAGE_LENGTH,
  PASSAGE_OVERLAP,
  type PassageSizes,
  sizesFor,
} from './passages.ts';
import { pagesOf } from './retrieval.fixture.ts';

const cut = (text: string, sizes?: PassageSizes) => [...cutPassages(pagesOf(text), sizes)];

const PIECES = [
  [
    'One sentence here. ',
    'Dr. Smith paid $3.50! ',
    'A question? ',
    'word ',
    '\n',
    '\n\n',
    '\t',
    '  ',
  ],
  ['漢字仮名交じり文。', '東京', '😀', '👩‍👩‍👧', '\u{20000}', '。', '\n'],
  ['😀'],
  ['x'],
  [' ', '\n', 'a'],
  ['A sentence. ', ' '.repeat(700), '\n'.repeat(90)],
  ['Zeile ohne Punkt\n', 'Kurz.\n', 'ein sehr langes Wort-mit-Strichen '],
];

/** Texts of all kinds, the same in each run (Park and Miller's generator). */
function* randomTexts() {
  let state = 42;
  const random = (below: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  for (let round = 0; round < 60; round += 1) {
    const pieces = PIECES[round % PIECES.length] as string[];
    let text = '';
    const length = random(5_000);
    while (text.length < length) text += pieces[random(pieces.length)];
    yield text;
  }
}

const isInsidePair = (text: string, at: number) =>
  /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at));

describe('passages of any text', () => {
  for (const sizes of [
    {},
    { overlap: 0 },
    { length: 7, overlap: 1 },
    { length: 100, overlap: 49 },
  ]) {
    const { length = PASSAGE_LENGTH, overlap = PASSAGE_OVERLAP }: PassageSizes = sizes;

    test(`contain all of it, within ${length} characters and an overlap of ${overlap}`, () => {
      const faultOf = (text: string) => {
        let covered = 0;
        for (const { start, end } of cut(text, sizes)) {
          if (end - start > length) return 'too long';
          if (covered - start > overlap) return 'too much overlap';
          if (end <= covered) return 'nothing new';
          if (text.slice(covered, start).trim() !== '') return 'a gap';
          if (isInsidePair(text, start) || isInsidePair(text, end)) return 'half a pair';
          covered = end;
        }
        return text.slice(covered).trim() === '' ? 'none' : 'no end';
      };
      for (const text of randomTexts()) expect(faultOf(text)).toBe('none');
    });
  }

  test('neither begin nor end with white space', () => {
    for (const text of randomTexts()) {
      const given = cut(text).map(({ start, end }) => text.slice(start, end));
      expect(given).toEqual(given.map((passage) => passage.trim()));
    }
  });
});

test('a short page is one passage, without the white space around it', () => {
  expect(cut('  One. Two.\n')).toEqual([{ page: 1, start: 2, end: 11 }]);
});

test('pages without text have no passages', () => {
  expect([...cutPassages(pagesOf('', ' \n\t '))]).toEqual([]);
});

test('no passage crosses a page', () => {
  const passages = [...cutPassages(pagesOf('First page.', '', 'Third page.'))];
  expect(passages).toEqual([
    { page: 1, start: 0, end: 11 },
    { page: 3, start: 0, end: 11 },
  ]);
});

test('passages end and begin with sentences', () => {
  const text = 'This is a sentence of some words. '.repeat(100);
  for (const { start, end } of cut(text)) {
    expect(text.slice(start, end)).toMatch(/^This .* words\.$/);
  }
});

test('a line end inside a sentence does not end it', () => {
  const text = 'A sentence that goes on\nover the end of its very long line. '.repeat(80);
  for (const { start, end } of cut(text)) {
    expect(text.slice(start, end)).toMatch(/^A sentence [^]* line\.$/);
  }
});

test('without sentences passages end with lines, and without lines with words', () => {
  const lines = `${'item of a list '.repeat(5).trim()}\n`.repeat(60);
  for (const { end } of cut(lines)) expect(lines.charAt(end)).toMatch(/\n|^$/);
  const words = 'word '.repeat(1_000);
  for (const { start, end } of cut(words))
    expect(words.slice(start, end)).toMatch(/^word .* word$/);
});

test('rows of tables stay whole', () => {
  const row = 'A-113 | Dr. Jones. Ms. Lee. | 12';
  const text = Array.from({ length: 200 }, () => row).join('\n');
  const passages = [...cutPassages([{ n: 1, text, rowsStart: 0 }])];
  expect(passages.length).toBeGreaterThan(1);
  for (const { start, end } of passages) {
    for (const line of text.slice(start, end).split('\n')) expect(line).toBe(row);
  }
});

test('passages are shorter in tables and in files of many pages', () => {
  const [page] = pagesOf('A sentence of some words. '.repeat(100));
  const longest = (count: number, table = {}) =>
    Math.max(
      ...[...cutPassages(page ? [page] : [], sizesFor(table, count))].map(
        ({ start, end }) => end - start,
      ),
    );
  expect(longest(1)).toBeGreaterThan(1_500);
  expect(longest(9)).toBeGreaterThan(1_500);
  expect(longest(10)).toBeLessThanOrEqual(800);
  expect(longest(1, { rowsStart: 0 })).toBeLessThanOrEqual(800);
});

test('the head of a page is its beginning, to a word of at most 200 characters', () => {
  const title = 'Consolidated Statements of Cash Flows, years ended December 31, 2018 and 2017';
  const text = `  ${title} ${'amount '.repeat(100)}`;
  const head = headOf({ n: 1, text });
  expect(head).toMatchObject({ kind: 'beginning' });
  expect(head?.text).toMatch(new RegExp(`^${title} amount .*amount $`));
  expect(head?.text.length).toBeLessThanOrEqual(200);
  expect(head?.end).toBe(2 + (head?.text.length ?? 0));
  expect(headOf({ n: 1, text: ' \n' })).toBeUndefined();
});

test('the head of a table is the names of its columns', () => {
  const head = headOf({ n: 1, text: 'Sheet\nProduct\tPrice\nA\t3\n', rowsStart: 6 });
  expect(head).toEqual({ kind: 'columns', text: 'Product | Price', end: 19 });
});
