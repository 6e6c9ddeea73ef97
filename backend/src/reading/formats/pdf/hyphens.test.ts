import { expect, it } from 'vitest';
import { findHyphens, hyphensOf } from './hyphens.ts';
import { cleanText } from './page-text.ts';

/** What the pages of a document read; | stands for a hyphen at a line end. */
const readPages = (...pages: string[]) => {
  const raws = pages.map((page) => page.replaceAll('|', '\uFFFE'));
  const keepHyphens = findHyphens(raws);
  return raws.map((raw) => cleanText(keepHyphens(raw)));
};

it('keeps the hyphen of a word that the document has only with it', () => {
  expect(readPages('the long|term plan', 'a Long-term view')[0]).toBe('the long-term plan');
  expect(readPages('state-of-the|art', 'State\u2010of\u2010the\u2010art')[0]).toBe(
    'state-of-the-art',
  );
});

it('joins a word that the document has without its hyphen, or not at all', () => {
  expect(readPages('an exam|ple', 'ex-am-ple, exam-ple, example')[0]).toBe('an example');
  expect(readPages('an exam|ple of ex|am|ple')).toEqual(['an example of example']);
});

it('keeps the hyphen within a name and a number, unless the document has the name without it', () => {
  expect(readPages('COVID|19, Coca|Cola, 2019|2020')).toEqual(['COVID-19, Coca-Cola, 2019-2020']);
  expect(readPages('MANAGE|MENT, Mc|Cullagh, docu|1', 'McCullagh')[0]).toBe(
    'MANAGEMENT, McCullagh, docu1',
  );
});

it('finds the hyphens of a page again by its text, so that marks count alike', () => {
  const raw = 'a long\uFFFEterm exam\uFFFEple\r\nof well\uFFFEknown';
  const text = 'a long-term example\nof well-known';
  expect(cleanText(hyphensOf(text)(raw))).toBe(text);
  expect(cleanText(hyphensOf('')(raw))).toBe('a longterm example\nof wellknown');
});

it('takes time that grows with the length of a text that is one word, or only breaks', () => {
  const word = 'a'.repeat(300_000);
  expect(readPages(word, `${word}|b`)[1]).toBe(`${word}b`);
  expect(readPages('|'.repeat(300_000))).toEqual(['']);
  expect(readPages('a|'.repeat(200_000))[0]).toHaveLength(200_000);
});
