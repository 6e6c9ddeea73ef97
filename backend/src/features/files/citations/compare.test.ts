import { describe, expect, it } from 'vitest';
import type { Citation } from '../../../contract/messages.ts';
import { comparisonsOf } from './compare.ts';

const cite = (n: number, quote: string, start = 10): Citation => ({
  n,
  fileId: String(n).repeat(24),
  fileName: `${n}.pdf`,
  sha256: 'f'.repeat(64),
  page: n,
  start,
  end: start + quote.length,
  quote,
});

const compare = (...quotes: string[]) =>
  comparisonsOf(quotes.map((quote, at) => cite(at + 1, quote)));
const valuesOf = (...quotes: string[]) =>
  compare(...quotes).map(({ comparison }) => comparison?.sides.map(({ value }) => value));

describe('comparisonsOf', () => {
  it.each([
    [
      'amounts',
      'The rent is 900 euros a month.',
      'The rent is €950 per month.',
      ['900 euros', '€950'],
    ],
    [
      'large amounts',
      'The purchase price is EUR 1,250,000.',
      'The purchase price is EUR 1,200,000.',
      ['EUR 1,250,000', 'EUR 1,200,000'],
    ],
    [
      'periods',
      'The notice period is three months.',
      'The notice period is 6 months.',
      ['three months', '6 months'],
    ],
    [
      'percentages',
      'Interest on late payment is 5%.',
      'Interest on late payment is 8 percent.',
      ['5%', '8 percent'],
    ],
    [
      'dates',
      'The offer is valid until 3 May 2026.',
      'The offer is valid until 2026-06-03.',
      ['3 May 2026', '2026-06-03'],
    ],
    [
      'years',
      'The observatory on Mount Seregno was closed in 1931 because of flooding.',
      'The observatory on Mount Seregno was closed in 1933 because of flooding.',
      ['1931', '1933'],
    ],
    [
      'months',
      'The bridge has been open since March 2024.',
      'The bridge has been open since May 2024.',
      ['March 2024', 'May 2024'],
    ],
    [
      'one of several values',
      'The fee is 100 euros, due within 30 days.',
      'The fee is 100 euros, due within 14 days.',
      ['30 days', '14 days'],
    ],
  ])('names a difference of %s', (_, one, other, values) => {
    expect(valuesOf(one, other)).toEqual([values]);
  });

  it('names a statement that another file denies', () => {
    const [card] = compare('Pets are allowed in the flat.', 'Pets are not allowed in the flat.');
    expect(card?.insight).toBe(
      'pets allowed flat: “Pets are allowed in the flat.” (1.pdf) – “Pets are not allowed in the flat.” (2.pdf)',
    );
  });

  it('compares single sentences of longer quotations, each with its own place', () => {
    const before = 'The flat has a cellar. ';
    const [card] = compare(
      `${before}The rent is 900 euros.`,
      'The rent is 950 euros. It has a garden.',
    );
    expect(card).toMatchObject({
      insight: 'rent: “900 euros” (1.pdf) – “950 euros” (2.pdf)',
      comparison: {
        topic: 'rent',
        sides: [
          {
            value: '900 euros',
            citation: { n: 1, start: 10 + before.length, quote: 'The rent is 900 euros.' },
          },
          {
            value: '950 euros',
            citation: { n: 2, start: 10, end: 32, quote: 'The rent is 950 euros.' },
          },
        ],
      },
    });
  });

  it.each([
    ['the same amount in another form', 'The price is 1,000 euros.', 'The price is € 1.000,00.'],
    [
      'the same date in another form',
      'It is valid until 3 May 2026.',
      'It is valid until 2026-05-03.',
    ],
    ['the same period in another unit', 'The term is one year.', 'The term is 12 months.'],
    [
      'the same number as a word',
      'The notice period is three months.',
      'The notice period is 3 months.',
    ],
    [
      'periods that cannot be converted',
      'The notice period is 30 days.',
      'The notice period is 1 month.',
    ],
    ['another subject', 'The rent is 900 euros.', 'The deposit is 2,700 euros.'],
    [
      'another party',
      'The notice period for tenants is 3 months.',
      'The notice period for landlords is 6 months.',
    ],
    [
      'another place',
      'The office in Paris has 12 employees.',
      'The office in Berlin has 15 employees.',
    ],
    [
      'another year',
      'Revenue in 2023 was 5 million euros.',
      'Revenue in 2024 was 6 million euros.',
    ],
    ['the same year', 'The mill was closed in 1931.', 'The mill was closed in 1931.'],
    [
      'a number that is no year',
      'The house has the number 1931.',
      'The house has the number 1933.',
    ],
    [
      'the same amount in another year',
      'Revenue in 2023 was 5 million euros.',
      'Revenue in 2024 was 5 million euros.',
    ],
    ['a maximum and a minimum', 'The maximum fee is 50 euros.', 'The minimum fee is 30 euros.'],
    [
      'several differences',
      'The fee is 100 euros, due in 30 days.',
      'The fee is 200 euros, due in 14 days.',
    ],
    ['another currency', 'The fee is 100 euros.', 'The fee is 110 dollars.'],
    [
      'a bound that is no denial',
      'Payment is due no later than 3 May 2026.',
      'Payment is due until 3 May 2026.',
    ],
    ['an addition', 'Dogs are not only allowed but welcome.', 'Dogs are allowed, welcome.'],
    ['nothing in common', 'The sky is blue.', 'Cats sleep a lot.'],
  ])('makes no card of %s', (_, one, other) => {
    expect(compare(one, other)).toEqual([]);
  });

  it('compares no file with itself', () => {
    const same = [
      cite(1, 'The rent is 900 euros.'),
      { ...cite(1, 'The rent is 950 euros.'), n: 2 },
    ];
    expect(comparisonsOf(same)).toEqual([]);
  });

  it('makes three cards at most', () => {
    const facts = (add: number) =>
      ['rent', 'deposit', 'heating', 'parking']
        .map((what, at) => `The ${what} costs ${100 * at + add} euros.`)
        .join(' ');
    expect(compare(facts(1), facts(2))).toHaveLength(3);
  });
});
