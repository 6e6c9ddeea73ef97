import { expect, it } from 'vitest';
import { addMonths, periodEndAfter, remainder } from './periods.ts';
import { priceSettings, pricesOf } from './prices.ts';

it('prices have the configured ids and the amounts of the plans', () => {
  const prices = pricesOf(priceSettings({ STRIPE_PRICE_PRO: 'price_of_pro' }));
  expect(prices.map(({ id, amount }) => [id, amount])).toEqual([
    ['price_starter_month', 2_900],
    ['price_starter_year', 27_840],
    ['price_of_pro', 17_900],
    ['price_pro_year', 171_840],
  ]);
});

it.each([
  ['2026-01-31T10:00:00Z', 1, '2026-02-28T10:00:00.000Z'],
  ['2026-01-31T10:00:00Z', 2, '2026-03-31T10:00:00.000Z'],
  ['2024-01-31T10:00:00Z', 1, '2024-02-29T10:00:00.000Z'],
  ['2024-02-29T10:00:00Z', 12, '2025-02-28T10:00:00.000Z'],
  ['2026-12-31T23:59:59Z', 2, '2027-02-28T23:59:59.000Z'],
])('%s and %i months are %s', (anchor, months, end) => {
  expect(addMonths(new Date(anchor), months).toISOString()).toBe(end);
});

it('a period ends on the day of the anchor, after the given instant', () => {
  const anchor = new Date('2026-01-31T10:00:00Z');
  const ends = (after: string) => periodEndAfter(anchor, 'month', new Date(after)).toISOString();
  expect(ends('2026-02-28T09:59:59Z')).toBe('2026-02-28T10:00:00.000Z');
  expect(ends('2026-02-28T10:00:00Z')).toBe('2026-03-31T10:00:00.000Z');
});

it('the rest of a period costs its share of the price, in whole cents', () => {
  const period = { startsAt: new Date(0), endsAt: new Date(3_000) };
  expect(remainder(100, { ...period, now: new Date(0) })).toBe(100);
  expect(remainder(100, { ...period, now: new Date(1_000) })).toBe(67);
  expect(remainder(100, { ...period, now: new Date(2_999) })).toBe(33);
  expect(remainder(100, { ...period, now: new Date(9_000) })).toBe(0);
});
