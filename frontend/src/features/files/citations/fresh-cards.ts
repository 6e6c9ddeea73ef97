import { type Citation, type InsightCard, sourceHref } from '@stolas/backend/contract';

/** A passage is quoted when this share of its runs of three words stands in the reply. */
const MIN_QUOTED_RUNS = 0.6;
/** … or this share of its words in a paragraph that cites it. */
const MIN_QUOTED_WORDS = 0.7;
const RUN = 3;
/** Words of this length are compared by their beginning, whatever their ending. */
const STEM = 4;

/** The cards with content that neither the reply nor the other cards show. */
export function freshCards(cards: readonly InsightCard[], reply: string): InsightCard[] {
  const comparisons = cards.filter(({ comparison }) => comparison);
  const compared = comparisons.flatMap(({ comparison }) => comparison?.sides ?? []);
  const fresh: InsightCard[] = [];
  for (const card of cards) {
    const { insight, citation, comparison } = card;
    const isShown =
      !comparison &&
      (isQuoted(insight, reply) ||
        (citation !== undefined && isToldWhereCited(insight, citation, reply)) ||
        compared.some((side) => citation && overlap(side.citation, citation)) ||
        fresh.some((other) => !other.comparison && isQuoted(insight, other.insight)));
    if (!isShown) fresh.push(card);
  }
  return fresh;
}

function isQuoted(passage: string, text: string): boolean {
  const [words, others] = [wordsOf(passage), wordsOf(text)];
  if (words.length === 0 || others.join('').includes(words.join(''))) return true;
  const runs = runsOf(words);
  const known = new Set(runsOf(others));
  return runs.length > 0 && shareIn(runs, known) >= MIN_QUOTED_RUNS;
}

function isToldWhereCited(passage: string, citation: Citation, reply: string): boolean {
  const link = `](${sourceHref(citation)})`;
  const citing = reply.split('\n').filter((line) => line.includes(link));
  const told = new Set(wordsOf(citing.join('\n')).map(stemOf));
  const words = new Set(wordsOf(passage).map(stemOf));
  return told.size > 0 && shareIn([...words], told) >= MIN_QUOTED_WORDS;
}

const shareIn = (items: readonly string[], known: ReadonlySet<string>): number =>
  items.filter((item) => known.has(item)).length / items.length;

const overlap = (a: Citation, b: Citation): boolean =>
  a.fileId === b.fileId && a.page === b.page && a.start < b.end && b.start < a.end;

const SOURCE_LINK = /\[\d{1,4}\]\(#source=[^()]*\)/g;

const wordsOf = (text: string): string[] =>
  text
    .replace(SOURCE_LINK, ' ')
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const runsOf = (words: readonly string[]): string[] =>
  words.slice(RUN - 1).map((_word, i) => words.slice(i, i + RUN).join(' '));

const stemOf = (word: string): string => (/\d/.test(word) ? word : word.slice(0, STEM));
