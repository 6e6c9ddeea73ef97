import { describe, expect, it } from 'vitest';
import { hasEveryValue, readValues } from './values.ts';

describe('hasEveryValue', () => {
  it.each([
    ['The rent is 900 euros.', 'Rent: €900 a month'],
    ['The rent is €1,250.', 'The rent is 1.250 EUR.'],
    ['The rent is 1,250.50 euros.', 'Die Miete beträgt 1.250,50 Euro.'],
    ['It costs 1.2 million dollars.', 'The price is $1,200,000.'],
    ['It costs 12k.', 'It costs 12,000.'],
    ['Interest is 5%.', 'The interest is 5 percent.'],
    ['The notice period is three months.', 'Notice: 3 months.'],
    ['The term is one year.', 'The term is one year.'],
    ['The term is 12 months.', 'The term is 1 year.'],
    ['It is valid until 3 May 2026.', 'valid until 2026-05-03'],
    ['It is valid until May 2026.', 'gültig bis 3. Mai 2026'],
    ['It closed in 1931.', 'It was closed in 1931 because of flooding.'],
    ['It closed in 1931.', 'It was closed on 4 March 1931.'],
    ['It weighs about 900 kg.', 'Its weight is 912 kg.'],
    ['It costs 500 SEK.', 'The price is SEK 500.'],
    ['The fine is INR 5 million.', 'A fine of ₹5 million was paid.'],
    ['It costs 40 Canadian dollars.', 'Price: C$40'],
    ['It costs 40 dollars.', 'Price in Ottawa: C$40'],
    ['It costs PLN 30.', 'Preis: 30 PLN'],
    ['It reaches 100 km/h.', 'Its top speed is 100 kilometres per hour.'],
    ['It reaches 36 km/h.', 'Das sind 10 m/s.'],
    ['It reaches 60 mph.', 'It reaches 60 miles per hour.'],
    ['Pets need consent.', 'Pets may be kept with written consent.'],
  ])('%s: %s', (claim, source) => {
    expect(hasEveryValue(claim, readValues(source))).toBe(true);
  });

  it.each([
    ['The rent is 950 euros.', 'Rent: €900 a month'],
    ['The rent is 900 dollars.', 'The rent is 900 euros.'],
    ['The rent is 900 euros.', 'The house has 900 rooms.'],
    ['The rent is 900 euros.', 'The rent is 9,000 euros.'],
    ['It costs 12k.', 'It costs 12.'],
    ['Interest is 5%.', 'There are 5 rooms.'],
    ['Interest is 5.5%.', 'Interest is 5 percent.'],
    ['The notice period is three months.', 'The notice period is 6 months.'],
    ['The notice period is three months.', 'The notice period is three weeks.'],
    ['It is valid until 3 May 2026.', 'It is valid until 3 June 2026.'],
    ['It is valid until 3 May 2026.', 'It is valid until May 2026.'],
    ['It closed in 1931.', 'It was closed in 1933.'],
    ['It weighs 900 kg.', 'Its weight is 912 kg.'],
    ['It weighs about 900 kg.', 'Its weight is 1,200 kg.'],
    ['It costs 500 SEK.', 'The price is EUR 500.'],
    ['It costs 500 SEK.', 'It takes 500 seconds.'],
    ['The fine is INR 5 million.', 'A fine of $5 million was paid.'],
    ['It reaches 100 km/h.', 'It is 100 km away.'],
    ['It reaches 100 km/h.', 'It reaches 100 mph.'],
    ['It is 100 km away.', 'It reaches 100 km/h.'],
    ['The rent is 900 euros and the deposit 2,700 euros.', 'The rent is 900 euros.'],
    ['The rent is 900 euros.', ''],
  ])('%s not: %s', (claim, source) => {
    expect(hasEveryValue(claim, readValues(source))).toBe(false);
  });
});
