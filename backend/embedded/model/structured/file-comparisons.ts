import { sectionsIn } from '../passages.ts';
import type { StructuredPrompt } from './prompt.ts';

const LABEL = /^\[(q\d+)\] (.*)/;

interface Quotation {
  quoteId: string;
  file: string;
  words: string[];
}

/** Maximum length of a difference that is one value, in words. */
const MAX_VALUE_WORDS = 3;

const quotationsIn = ({ system, user }: StructuredPrompt): Quotation[] =>
  sectionsIn(user, system).sections.flatMap(({ label, text }) => {
    const [, quoteId, file = ''] = LABEL.exec(label) ?? [];
    const words = text.split(/\s+/).filter(Boolean);
    return quoteId === undefined ? [] : [{ quoteId, file, words }];
  });

/** The difference of two quotations that are equal except for a few words in the middle: these words and the one after them. */
function differenceOf(a: Quotation, b: Quotation) {
  const shorter = Math.min(a.words.length, b.words.length);
  let before = 0;
  while (before < shorter && a.words[before] === b.words[before]) before += 1;
  let after = 0;
  while (after < shorter - before && a.words.at(-1 - after) === b.words.at(-1 - after)) after += 1;
  const topic = a.words.slice(0, before).toSorted((x, y) => y.length - x.length)[0];
  const sides = [a, b].map(({ quoteId, words }) => ({
    quoteId,
    value: words
      .slice(before, words.length - Math.max(0, after - 1))
      .join(' ')
      .replace(/(?<![.,;:])[.,;:]+$/, ''),
    length: words.length - before - after,
  }));
  const isOneValue = sides.every(({ length }) => length > 0 && length <= MAX_VALUE_WORDS);
  if (topic === undefined || !isOneValue || before + after < 2) return [];
  return [{ topic, sides: sides.map(({ quoteId, value }) => ({ quoteId, value })) }];
}

/** The product's call 'file_comparisons': quotations of different files that are equal except for a few words. */
export function fileComparisons(prompt: StructuredPrompt) {
  const quotations = quotationsIn(prompt);
  const comparisons = quotations.flatMap((a, at) =>
    quotations.slice(at + 1).flatMap((b) => (a.file === b.file ? [] : differenceOf(a, b))),
  );
  return { comparisons: comparisons.slice(0, 3) };
}
