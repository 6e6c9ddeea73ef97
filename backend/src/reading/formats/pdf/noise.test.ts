import { expect, it } from 'vitest';
import { isNoise } from './noise.ts';

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
