import { expect, it } from 'vitest';
import { occurringIn } from './occurring.ts';

it('finds the words that a text includes, whole or within each other', () => {
  const words = ['he', 'she', 'his', 'hers', 'xhers', 'e', '🦉', ''];
  expect([...occurringIn('ushers', words)].toSorted()).toEqual(['e', 'he', 'hers', 'she']);
  expect([...occurringIn('An 🦉', words)]).toEqual(['🦉']);
  expect(occurringIn('', words).size).toBe(0);
  expect(occurringIn('owl', []).size).toBe(0);
});

it('finds the same as a separate search for each word', () => {
  // Every text of two letters up to length eight, and every word up to length four: all possible overlaps.
  const texts = (length: number): string[] =>
    length === 0 ? [''] : texts(length - 1).flatMap((text) => [`${text}a`, `${text}b`]);
  const words = [1, 2, 3, 4].flatMap(texts);
  for (const text of texts(8))
    for (const some of [words, words.filter((_, at) => at % 3 === 0), words.slice(-5)])
      expect([...occurringIn(text, some)].toSorted()).toEqual(
        some.filter((word) => text.includes(word)).toSorted(),
      );
});
