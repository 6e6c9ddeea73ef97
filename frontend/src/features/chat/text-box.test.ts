import { expect, it } from 'vitest';
import { directionOf } from './text-box.ts';

it('leaves the direction of each line to the browser while the text is short', () => {
  expect(directionOf('')).toBe('auto');
  expect(directionOf('שלום')).toBe('auto');
});

it('takes the direction of a long text from its first letter', () => {
  const long = ' text'.repeat(2_000);
  expect(directionOf(long)).toBe('ltr');
  expect(directionOf(`12. שלום${long}`)).toBe('rtl');
  expect(directionOf(`12. a שלום${long}`)).toBe('ltr');
  expect(directionOf('1'.repeat(200_000))).toBe('ltr');
});
