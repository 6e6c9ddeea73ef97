import { expect, it } from 'vitest';
import { formatAmount, formatDollars } from './money.ts';

it('shows cents of a price only when there are any', () => {
  expect(formatDollars(29)).toBe('$29');
  expect(formatDollars(278.4)).toBe('$278.40');
  expect(formatDollars(1718.4)).toBe('$1,718.40');
});

it('reads amounts in the smallest unit of their currency', () => {
  expect(formatAmount(17_900, 'usd')).toBe('$179.00');
  expect(formatAmount(500, 'jpy')).toBe('¥500');
});
