import { describe, expect, it, vi } from 'vitest';
import { inGerman } from '../i18n/german.fixture.ts';
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

it('English amounts are the same in every region', () => {
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(['en-GB']);
  expect(formatDollars(29)).toBe('$29');
});

describe('in German', () => {
  inGerman();

  it('sets the sign of the currency behind the amount', () => {
    expect(formatDollars(29)).toBe('29\u00A0$');
    expect(formatDollars(1718.4)).toBe('1.718,40\u00A0$');
    expect(formatAmount(17_900, 'eur')).toBe('179,00\u00A0€');
  });
});
