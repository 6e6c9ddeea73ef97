import { expect, it } from 'vitest';
import { cleanText, isNoise, textIndexes } from './page-text.ts';

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

it('tells what a font without a map gives from text of any script', () => {
  expect(isNoise('\u0004\u0005\u0006\u0007 \u0008\u000B\u0010'.repeat(5))).toBe(true);
  expect(isNoise('\uE001\uE002 \uE003\uE004'.repeat(8))).toBe(true);
  for (const text of [
    'An owl hoots at night.\r\n',
    'Eine Eule ruft. ',
    'بومة تصيح ليلا ',
    '猫头鹰在夜里叫。',
  ])
    expect(isNoise(text.repeat(8))).toBe(false);
  // The bullets of a list are often of such a font.
  expect(isNoise('\uF0B7 An item of a list\n'.repeat(8))).toBe(false);
  expect(isNoise('')).toBe(false);
});
