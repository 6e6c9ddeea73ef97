import { expect, it } from 'vitest';
import { cleanText, textIndexes } from './page-text.ts';

/** PDFium's form: a line end is CR LF, and U+FFFE replaces a hyphen at a line end. */
const RAW = 'ow\uFFFEls\r\nho🦉ot';

it('counts the characters of PDFium that a part of the shown text consists of', () => {
  const text = cleanText(RAW);
  expect(text).toBe('owls\nho🦉ot');
  const indexesOf = (quote: string) => {
    const start = text.indexOf(quote);
    return textIndexes(RAW, { start, end: start + quote.length });
  };
  expect(indexesOf('ow')).toEqual([0, 1]);
  expect(indexesOf('wl')).toEqual([1, 3]);
  expect(indexesOf('s\nh')).toEqual([4, 6, 7]);
  expect(indexesOf('🦉o')).toEqual([9, 10]);
});
