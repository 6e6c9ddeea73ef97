import type { SourceRef } from '../../../contract/limits.ts';
import { segmentsOf } from '../../../text/segments.ts';
import { findVerbatim, type Span } from '../../../text/verbatim.ts';
import type { CitablePassage } from '../../context.ts';

/** With fewer shared words, no sentence of a passage is considered cited. */
const MIN_SHARED_WORDS = 2;

const words = new Intl.Segmenter('und', { granularity: 'word' });
const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });

/** The words of a text, for comparison. */
export const wordsOf = (text: string): Set<string> =>
  new Set(
    Array.from(segmentsOf(words, text.normalize('NFKC').toLowerCase()))
      .filter(({ isWordLike }) => isWordLike)
      .map(({ segment }) => segment),
  );

/** The sentences of a text with their places, without the white space around them. */
export function sentencesOf(text: string): (Span & { text: string })[] {
  return Array.from(segmentsOf(sentences, text)).flatMap(({ segment, index }) => {
    const trimmed = segment.trim();
    if (trimmed === '') return [];
    const start = index + segment.indexOf(trimmed);
    return [{ start, end: start + trimmed.length, text: trimmed }];
  });
}

/** The last sentence of a reply so far. */
export const lastSentence = (text: string): string => sentencesOf(text).at(-1)?.text ?? '';

const refOf = ({ fileId, page, start }: CitablePassage, span: Span): SourceRef => ({
  fileId,
  page,
  start: start + span.start,
  end: start + span.end,
});

/** The part of a cited passage that a statement refers to: the sentence that shares most words with it, else the whole passage. */
export function citedSentence(passage: CitablePassage, statement: string): SourceRef {
  const stated = wordsOf(statement);
  let best: Span = { start: 0, end: passage.text.length };
  let most = MIN_SHARED_WORDS - 1;
  for (const sentence of sentencesOf(passage.text)) {
    const shared = [...wordsOf(sentence.text)].filter((word) => stated.has(word)).length;
    if (shared <= most) continue;
    most = shared;
    best = sentence;
  }
  return refOf(passage, best);
}

/** Overlapping or adjacent passages are one text. */
function joined(passages: CitablePassage[]): CitablePassage[] {
  const sorted = passages.toSorted((a, b) => a.page - b.page || a.start - b.start);
  const runs: CitablePassage[] = [];
  for (const passage of sorted) {
    const last = runs.at(-1);
    if (last && last.page === passage.page && passage.start <= last.end) {
      last.text += passage.text.slice(Math.max(0, last.end - passage.start));
      last.end = Math.max(last.end, passage.end);
    } else runs.push({ ...passage });
  }
  return runs;
}

/** A line with nothing but the number of its page. */
const PAGE_NUMBER = /^(?:page |seite )?[-–]? ?\d{1,4} ?[-–]?$/i;
/** A text without the number of its page in its last or first line; its length stays the same. */
function withoutPageNumber(text: string, place: 'last' | 'first'): string {
  const start = text.length - text.trimStart().length;
  const end = text.trimEnd().length;
  const from = place === 'last' ? text.lastIndexOf('\n', end - 1) + 1 : start;
  const next = place === 'last' ? end : text.indexOf('\n', start);
  const to = next === -1 ? end : next;
  if (!PAGE_NUMBER.test(text.slice(from, to).trim())) return text;
  return text.slice(0, from) + ' '.repeat(to - from) + text.slice(to);
}

/** Neighbours with the text of a page's end and the next page's beginning; a sentence goes on there. */
function* pageBreaks(runs: readonly CitablePassage[]): Generator<[CitablePassage, string]> {
  for (const [at, run] of runs.entries()) {
    const next = runs[at + 1];
    if (next?.page !== run.page + 1 || next.text.length === 0 || next.start > MAX_PAGE_HEAD)
      continue;
    const end = withoutPageNumber(run.text, 'last');
    if (/[.!?:;|]["”’)\]]{0,3}$/.test(end.trimEnd())) continue;
    yield [{ ...run, text: end }, withoutPageNumber(next.text, 'first')];
  }
}
/** Code units before the first passage of a page: white space. */
const MAX_PAGE_HEAD = 20;

/** The place on the first page of a quotation that goes on on the next one. */
function acrossPages(quote: string, runs: readonly CitablePassage[]): SourceRef | null {
  for (const [run, next] of pageBreaks(runs)) {
    const span = findVerbatim(`${run.text}\n${next}`, quote);
    const isAcross = span && span.start < run.text.length && span.end > run.text.length;
    if (isAcross) return refOf(run, { start: span.start, end: run.text.trimEnd().length });
  }
  return null;
}

/**
 * The verbatim place of a quotation: in one of the cited passages, else in another passage of the same file, else from the end of a page
 * to the next.
 * @returns the index of the cited passage, and the place
 */
export function findQuote(
  quote: string,
  cited: readonly CitablePassage[],
  given: readonly CitablePassage[],
): { index: number; ref: SourceRef } | null {
  for (const [index, passage] of cited.entries()) {
    const span = findVerbatim(passage.text, quote);
    if (span) return { index, ref: refOf(passage, span) };
  }
  for (const [index, { fileId }] of cited.entries()) {
    const runs = joined(given.filter((passage) => passage.fileId === fileId));
    for (const run of runs) {
      const span = findVerbatim(run.text, quote);
      if (span) return { index, ref: refOf(run, span) };
    }
    const ref = acrossPages(quote, runs);
    if (ref) return { index, ref };
  }
  return null;
}
