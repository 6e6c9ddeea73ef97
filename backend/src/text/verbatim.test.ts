import { describe, expect, it } from 'vitest';
import { findVerbatim } from './verbatim.ts';

/** The text of the file at the found place. */
function found(text: string, quote: string): string | null {
  const span = findVerbatim(text, quote);
  return span && text.slice(span.start, span.end);
}

describe('findVerbatim', () => {
  it.each([
    ['the same letters', 'We pay 42 euros a day.', 'pay 42 euros', 'pay 42 euros'],
    [
      'white space and line breaks',
      'We pay\n  42\u00A0euros a day.',
      'pay 42 euros',
      'pay\n  42\u00A0euros',
    ],
    ['dashes', 'from 2019–2024 on', '2019-2024', '2019–2024'],
    ['a minus sign', 'at −5 degrees', 'at -5 degrees', 'at −5 degrees'],
    ['quote marks', 'He said “no” twice', 'said "no" twice', 'said “no” twice'],
    ['apostrophes', 'the tenant’s deposit', "the tenant's deposit", 'the tenant’s deposit'],
    ['ligatures', 'the ﬁnal oﬀer stands', 'the final offer', 'the ﬁnal oﬀer'],
    ['a combining accent', 'the cafe\u0301 closes', 'café closes', 'cafe\u0301 closes'],
    ['a composed accent', 'the café closes', 'cafe\u0301 closes', 'café closes'],
    ['full-width letters', 'ＡＢＣ company', 'ABC company', 'ＡＢＣ company'],
    [
      'soft hyphens',
      'a long con\u00ADtract ends',
      'long contract ends',
      'long con\u00ADtract ends',
    ],
    [
      'characters outside the basic plane',
      '🦉 hoots 🦉🦉 at night',
      'hoots 🦉🦉 at',
      'hoots 🦉🦉 at',
    ],
    ['a script without spaces', '合同期限为三年。', '期限为三年', '期限为三年'],
    ['an ellipsis', 'and so on… then it ends', 'so on... then', 'so on… then'],
  ])('finds a quotation that differs only in %s', (_, text, quote, original) => {
    expect(found(text, quote)).toBe(original);
  });

  it.each([
    ['another number', 'We pay 42 euros.', 'pay 43 euros'],
    ['another case', 'We pay 42 euros.', 'we pay 42 Euros'],
    ['a word left out', 'We do not pay 42 euros.', 'do pay 42 euros'],
    ['words joined by an ellipsis', 'We pay, when asked, 42 euros.', 'We pay … 42 euros'],
    ['a part of a word', 'the tenants leave', 'ten'],
    ['a part of a number', 'after 25 days', '5 days'],
    ['a part of a decimal', 'after 2.5 days', '5 days'],
    ['a number without its decimals', 'a fee of 2.5', 'fee of 2'],
    ['nothing but signs', 'one, two', ', '],
    ['nothing', 'one, two', ''],
  ])('finds no quotation with %s', (_, text, quote) => {
    expect(findVerbatim(text, quote)).toBeNull();
  });

  it('finds the first place at which the quotation is not part of a word', () => {
    expect(findVerbatim('tenants or ten', 'ten')).toEqual({ start: 11, end: 14 });
  });

  it('finds every sequence of whole words, with any signs in the text', () => {
    const words = [
      'ﬁne',
      'cafe\u0301',
      '🦉🦉',
      'A–B',
      '„so“',
      '42,5',
      'Straße',
      '¼',
      '한국어',
      '\u1112\u1161\u11ab',
    ];
    const spaces = [' ', '\n', '\u00A0\t', '  '];
    for (let seed = 0; seed < 200; seed += 1) {
      const pick = numbers(seed);
      const pieces = Array.from({ length: 12 }, () => words[pick(words.length)] ?? '');
      const first = pick(10);
      const last = first + 1 + pick(12 - first);
      const join = (list: string[]) => list.map((word) => word + (spaces[pick(4)] ?? '')).join('');
      const before = join(pieces.slice(0, first));
      const quoted = join(pieces.slice(first, last)).trim();
      const text = `${before}${quoted} ${join(pieces.slice(last))}`;
      // The same words may also occur earlier.
      const variant = quoted.normalize('NFKD').replace(/\s+/g, ' ');
      if (!/[\p{L}\p{N}]/u.test(quoted)) continue;
      const span = findVerbatim(text, variant);
      const original = span && text.slice(span.start, span.end);
      expect({ text, found: original?.normalize('NFKD').replace(/\s+/g, ' ') }).toEqual({
        text,
        found: variant,
      });
    }
  });
});

/** A generator of whole numbers below `limit`, the same for the same seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed + 1;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}
