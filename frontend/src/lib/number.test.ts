import { expect, it } from 'vitest';
import { formatCompact, formatNumber, formatPercent, percentOf } from './number.ts';

it('groups the digits of a number', () => {
  expect(formatNumber(3_000_000)).toBe('3,000,000');
  expect(formatCompact(50_000)).toBe('50K');
});

it.each([
  [0, 100, 0],
  [29, 100, 29],
  [199_999, 200_000, 99],
  [200_000, 200_000, 100],
  [203_000, 200_000, 100],
  [0, 0, 100],
])('%d of %d is %d percent', (used, limit, percent) => {
  expect(percentOf({ used, limit })).toBe(percent);
});

it('writes percent without a fraction', () => {
  expect(formatPercent(85)).toBe('85%');
});
