import { stemmer } from 'stemmer';
import type { Citation, InsightCard } from '../../../contract/messages.ts';
import { sentencesOf, wordsOf } from './cited-span.ts';
import { type Value, valuesIn } from './values.ts';

/** Few and certain: a wrong card costs trust. */
export const MAX_COMPARISONS = 3;
const MAX_TOPIC_WORDS = 5;

/** A sentence of a file that a reply cites. */
interface Statement {
  citation: Citation;
  values: Value[];
  isNegated: boolean;
  /** Names and bare numbers, which distinguish subjects. */
  names: string;
  /** Its topic without values: stems with their words. */
  stems: Map<string, string>;
}

interface Difference {
  a: Statement;
  b: Statement;
  topic: string;
  valueOf: (statement: Statement) => string;
}

const COMMON = new Set(
  (
    'a about above after all amount amounts an and any are as at be been before by can come comes each equal equals every for from had has have ' +
    'if in into is it its least may most must no not never none nor of on only or per set shall should than that the their there these this those ' +
    'to total under until up was were which will with within without would cannot neither'
  ).split(' '),
);
const NEGATION = /\b(?:not|never|no|none|without|cannot|neither|nor)\b|n[’']t\b/gi;
/** Phrases that do not negate a statement. */
const NO_NEGATION =
  /\b(?:not only|no (?:later|earlier|more|less|fewer) than|not (?:later|earlier|more|less|fewer) than|no\.? ?\d+)/gi;

function toStatement(citation: Citation): Statement {
  const { values, rest } = valuesIn(citation.quote);
  const plain = rest.replace(NO_NEGATION, ' ');
  const words = [...wordsOf(plain)].filter((word) => !COMMON.has(word) && !/^n[’']t$/.test(word));
  const stems = new Map(
    words.filter((word) => /^\p{L}{3,}$/u.test(word)).map((word) => [stemmer(word), word]),
  );
  // A capitalised word inside a sentence is a name.
  const capitals = rest.trim().match(/(?<=\s)\p{Lu}[\p{L}\p{N}-]*|\d+/gu) ?? [];
  const isNegated = (plain.match(NEGATION) ?? []).length % 2 === 1;
  return { citation, values, isNegated, names: capitals.toSorted().join(' '), stems };
}

/** The sentences of a cited place, each with its own place. */
const statementsOf = (citation: Citation): Statement[] =>
  sentencesOf(citation.quote).map(({ start, end, text }) =>
    toStatement({
      ...citation,
      start: citation.start + start,
      end: citation.start + end,
      quote: text,
    }),
  );

/** The topic that two statements share; null when each could have another subject. */
function sharedTopic(a: Statement, b: Statement): string | null {
  const shared = [...a.stems].filter(([stem]) => b.stems.has(stem)).map(([, word]) => word);
  const onlyA = a.stems.size - shared.length;
  const onlyB = b.stems.size - shared.length;
  const isSame = shared.length > 0 && onlyA === 0 && onlyB === 0;
  // One may have additional words; when both do, their subjects may differ.
  const isNearly = shared.length > 1 && Math.min(onlyA, onlyB) === 0 && onlyA + onlyB <= 2;
  if (!isSame && !isNearly) return null;
  return shared.slice(0, MAX_TOPIC_WORDS).join(' ');
}

const keyOf = ({ kind, unit }: Value) => `${kind} ${unit}`;

/** The only value in which two statements differ; undefined for none or several. */
function onlyDifference(a: Statement, b: Statement): number | undefined {
  if (a.values.length !== b.values.length) return undefined;
  if (a.values.some((value, at) => keyOf(value) !== keyOf(b.values[at] ?? value))) return undefined;
  const differing = [...a.values.keys()].filter(
    (at) => a.values[at]?.value !== b.values[at]?.value,
  );
  return differing.length === 1 ? differing[0] : undefined;
}

const isEqual = (a: Statement, b: Statement) =>
  a.values.length === b.values.length &&
  a.values.every(
    (value, at) =>
      keyOf(value) === keyOf(b.values[at] ?? value) && value.value === b.values[at]?.value,
  );

function differenceOf(a: Statement, b: Statement): Difference | null {
  const topic = sharedTopic(a, b);
  if (topic === null || a.names !== b.names) return null;
  const at = onlyDifference(a, b);
  if (at !== undefined && a.isNegated === b.isNegated)
    return { a, b, topic, valueOf: ({ values }) => values[at]?.text ?? '' };
  if (a.isNegated !== b.isNegated && isEqual(a, b) && a.stems.size > 1)
    return { a, b, topic, valueOf: ({ citation }) => citation.quote.replace(/\s+/g, ' ') };
  return null;
}

/** A card with the statements of several files on one point. Its `insight` contains no words of a language. */
export function comparisonCard(
  topic: string,
  sides: { citation: Citation; value: string }[],
): InsightCard {
  const said = sides.map(({ citation, value }) => `“${value}” (${citation.fileName})`);
  return { insight: `${topic}: ${said.join(' – ')}`, comparison: { topic, sides } };
}

const toCard = ({ a, b, topic, valueOf }: Difference): InsightCard =>
  comparisonCard(
    topic,
    [a, b].map((statement) => ({ citation: statement.citation, value: valueOf(statement) })),
  );

/**
 * Cards for cited sentences of different files that differ on one point: one amount, quantity, percentage or date, or a negation. Sentences
 * with more differences are about different subjects.
 */
export function comparisonsOf(citations: readonly Citation[]): InsightCard[] {
  const statements = citations.flatMap(statementsOf);
  const cards = new Map<string, InsightCard>();
  for (const [at, a] of statements.entries()) {
    for (const b of statements.slice(at + 1)) {
      if (a.citation.fileId === b.citation.fileId) continue;
      const difference = differenceOf(a, b);
      if (!difference) continue;
      const files = [a, b].map(({ citation }) => citation.fileId).toSorted();
      const key = [difference.topic, ...files].join(' ');
      if (!cards.has(key)) cards.set(key, toCard(difference));
    }
  }
  return [...cards.values()].slice(0, MAX_COMPARISONS);
}
