import { setImmediate } from 'node:timers/promises';
import type {
  ClaimEvidence,
  ClaimReason,
  ClaimSource,
  ClaimVerdict,
} from '../../contract/claims.ts';
import { findVerbatim } from '../../text/verbatim.ts';
import { withoutLocators } from './locators.ts';
import { hasAllNames, namesIn, readWords, sharesWords } from './overlap.ts';
import { periodsIn } from './periods.ts';
import { sentencesOf } from './sentences.ts';
import { joinedHeads, type TableHead, tableHeadOf } from './units.ts';
import { isCompared, isDated, isValueIn, missingValues, type Value, valuesIn } from './values.ts';

/** A passage in the prompt of a call. */
export interface SourcePassage {
  /** `p1`, `p2`, … within the call. */
  id: string;
  /** Its name for readers. */
  label: string;
  text: string;
  /** The place of the whole passage. */
  source: ClaimSource;
}

/** The possible relations of a claim to passages. */
export const RELATIONS = ['supports', 'contradicts', 'insufficient'] as const;

/** The model's answer for one claim. */
export interface Judgement {
  relation: (typeof RELATIONS)[number];
  evidence: readonly { passageId: string; quote: string }[];
}

/** Shorter quotations occur in any text. */
export const MIN_QUOTE_LENGTH = 12;

/**
 * The quotations that occur in the named passages, letter for letter apart from compatibility forms, white space and dashes. Text and place
 * come from the source, never from the answer.
 */
export async function verbatimEvidence(
  evidence: Judgement['evidence'],
  passages: readonly SourcePassage[],
): Promise<ClaimEvidence[]> {
  const found: ClaimEvidence[] = [];
  for (const { passageId, quote } of evidence) {
    // The process serves its other replies in between, here and below.
    await setImmediate();
    const passage = passages.find(({ id }) => id === passageId);
    const span = passage && findVerbatim(passage.text, quote);
    if (!passage || !span) continue;
    const exact = passage.text.slice(span.start, span.end);
    if (exact.replace(/\s+/g, ' ').length < MIN_QUOTE_LENGTH) continue;
    const { source } = passage;
    const place = { start: source.start + span.start, end: source.start + span.end };
    found.push({ quote: exact, source: { ...source, ...place } });
  }
  const keyOf = ({ source }: ClaimEvidence) => JSON.stringify(source);
  return [...new Map(found.map((one) => [keyOf(one), one])).values()];
}

/** A verdict after the gates. `isPending`: a contradiction without its second call. */
export interface Decision {
  verdict: Exclude<ClaimVerdict, 'not_checkable'>;
  reason?: ClaimReason;
  evidence: ClaimEvidence[];
  isPending: boolean;
}

const unsupported = (reason: ClaimReason): Decision => ({
  verdict: 'unsupported',
  reason,
  evidence: [],
  isPending: false,
});

/** Reduces a judgement of `claim` to what its quotations prove. Text in a passage or a claim cannot raise it. */
export async function decide(
  claim: string,
  judgement: Judgement | undefined,
  passages: readonly SourcePassage[],
): Promise<Decision> {
  if (!judgement || judgement.relation === 'insufficient') return unsupported('no_evidence');
  const evidence = await verbatimEvidence(judgement.evidence, passages);
  if (evidence.length === 0) return unsupported('no_evidence');
  if (judgement.relation === 'contradicts')
    return { verdict: 'contradicted', evidence, isPending: true };
  const quoted = evidence.map(({ quote }) => quote).join('\n');
  const context = contextOf(evidence, passages);
  const stated = withoutLocators(claim, { pages: pagesOf(evidence), passages: context });
  const dated = await dateEvidence(stated, evidence, context);
  if (!dated) return unsupported('number_not_in_source');
  evidence.push(...dated);
  const sources = passages.filter(isOfSameSource(context));
  for (const passage of sources) {
    await setImmediate();
    readWords(passage);
  }
  if (!hasAllNames(claim, sources)) return unsupported('name_not_in_source');
  // Names and values that are there are something in common: 'he' may stand for the name, '1984' for the 1980s.
  const hasFound = namesIn(claim).length > 0 || valuesIn(stated).some(isCompared);
  if (!hasFound && !sharesWords(claim, quoted)) return unsupported('few_words_in_common');
  return { verdict: 'supported', evidence, isPending: false };
}

/** What a passage says of its quotations: units, and the years and periods in the name of its file. */
interface Frame extends TableHead {
  years: readonly Value[];
  periods: readonly string[];
}
/** Cached, because many claims of a reply quote the same passages. */
const frames = new WeakMap<SourcePassage, Frame>();
const YEAR = /(?<!\d)(?:19|20)\d{2}(?!\d)/g;

function frameOf(passage: SourcePassage): Frame {
  const known = frames.get(passage);
  if (known) return known;
  const { periods, rest } = periodsIn(passage.label);
  const frame = {
    ...tableHeadOf(passage.text),
    years: (rest.match(YEAR) ?? []).flatMap(valuesIn),
    periods: periods.map(({ name }) => name),
  };
  frames.set(passage, frame);
  return frame;
}

/**
 * The sentences of the quoted passages that bring the claim's dates when the quotations have none: a year often stands above what is
 * quoted, or in the name of the file. A date beside quotations with another one is wrong, and so is a quarter beside another.
 * @returns null when a value is neither in the quotations nor in such a sentence
 */
async function dateEvidence(
  stated: string,
  evidence: readonly ClaimEvidence[],
  passages: readonly SourcePassage[],
): Promise<ClaimEvidence[] | null> {
  const quoted: Value[] = [];
  for (const { quote } of evidence) {
    await setImmediate();
    quoted.push(...valuesIn(quote));
  }
  const found = passages.map(frameOf);
  const years = found.flatMap((frame) => frame.years);
  const missing = missingValues(stated, [...quoted, ...years], joinedHeads(found)).filter(
    (value) =>
      value.kind !== 'period' || !found.some(({ periods }) => periods.includes(value.name)),
  );
  if (missing.length === 0) return [];
  const isRival = (value: Value) =>
    isDated(value) && missing.some(({ kind }) => (kind === 'period') === (value.kind === 'period'));
  if (!missing.every(isDated) || quoted.some(isRival)) return null;
  const added = new Map<Value, ClaimEvidence>();
  for (const { text, source } of passages) {
    await setImmediate();
    for (const { start, end } of sentencesOf(text)) {
      const values = valuesIn(text.slice(start, end));
      const place = { start: source.start + start, end: source.start + end };
      for (const value of missing)
        if (!added.has(value) && isValueIn(value, values))
          added.set(value, { quote: text.slice(start, end), source: { ...source, ...place } });
    }
  }
  return added.size === missing.length ? [...new Set(added.values())] : null;
}

/** The numbers of the quoted pages, counted and printed. */
const pagesOf = (evidence: readonly ClaimEvidence[]): number[] =>
  evidence.flatMap(({ source }) =>
    source.kind === 'file' ? [source.page, Number(source.pageLabel ?? source.page)] : [],
  );

/** The quoted passages. */
const contextOf = (evidence: readonly ClaimEvidence[], passages: readonly SourcePassage[]) =>
  passages.filter(({ text }) => evidence.some(({ quote }) => text.includes(quote)));

const sourceIdOf = ({ source }: SourcePassage) =>
  source.kind === 'file' ? source.fileId : source.messageId;

/** Whether a passage is of the file or message of one of these: names are often said once, far above what is quoted. */
function isOfSameSource(quoted: readonly SourcePassage[]) {
  const ids = new Set(quoted.map(sourceIdOf));
  return (passage: SourcePassage): boolean => ids.has(sourceIdOf(passage));
}

/** Keeps a contradiction when a second judgement agrees and quotes a passage correctly. */
export async function confirm(
  pending: Decision,
  second: Judgement | undefined,
  passages: readonly SourcePassage[],
): Promise<Decision> {
  const isConfirmed =
    second?.relation === 'contradicts' &&
    (await verbatimEvidence(second.evidence, passages)).length > 0;
  return isConfirmed ? { ...pending, isPending: false } : unsupported('not_confirmed');
}
