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
  return Array.from(segmentsOf(sentences, withJoinedLines(text))).flatMap(({ segment, index }) => {
    const trimmed = segment.trim();
    if (trimmed === '') return [];
    const start = index + segment.indexOf(trimmed);
    const end = start + trimmed.length;
    return [{ start, end, text: text.slice(start, end) }];
  });
}

/** A row of a table, or the end of a list's introduction or of a line of code. */
const ENDS_UNIT = /[|:;{}]$|\t| {2}|(?:\s[-+−(]?[€$£]?\d[\d.,]*[%€$£)]*){2}$/;
/** A row, an item of a list, a heading, a quotation, or an indented line. */
const BEGINS_UNIT = /^(?:\s|[|#>]|[-*•–] |(?:\d{1,3}[.)]|\d{1,2}(?:\.\d{1,2})+) )|\t/;
/** A line of print has no room for the next word: together they have this share of the longest line. Headings and items have room. */
const FULL_LINE = 0.9;
const MIN_FULL_LENGTH = 30;

/** A text of the same length in which a sentence of print is not cut at its lines. */
function withJoinedLines(text: string): string {
  const lines = text.split('\n');
  const longest = lines.reduce((length, line) => Math.max(length, line.length), 0);
  const full = Math.max(MIN_FULL_LENGTH, FULL_LINE * longest);
  const goesOn = (line: string, next: string) =>
    line.trim() !== '' && !ENDS_UNIT.test(line.trimEnd()) && next !== '' && !BEGINS_UNIT.test(next);
  // A list of names or a log has no line that begins in the middle of a sentence.
  const isProse = lines.some(
    (line, at) => at > 0 && /^\p{Ll}/u.test(line) && goesOn(lines[at - 1] ?? '', line),
  );
  if (!isProse) return text;
  const isJoined = (line: string, next: string) =>
    goesOn(line, next) &&
    (line.length + (/^\S*/.exec(next)?.[0].length ?? 0) >= full || /^\p{Ll}/u.test(next));
  return lines
    .map((line, at) => line + (isJoined(line, lines[at + 1] ?? '') ? ' ' : '\n'))
    .join('')
    .slice(0, -1);
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

/** Code units before a passage of a page that are only white space: a passage that was left out would cover more. */
const MAX_GAP = 20;

/** Each passage with the one that overlaps or follows it on its page: a quotation is shorter than a passage. */
function windowsOf(passages: readonly CitablePassage[]): CitablePassage[] {
  const sorted = passages.toSorted((a, b) => a.page - b.page || a.start - b.start);
  return sorted.map((passage, at) => {
    const next = sorted[at + 1];
    if (next?.page !== passage.page || next.start > passage.end + MAX_GAP) return passage;
    const gap = next.start - passage.end;
    // A line break, so that a list item or the rest of a hyphenated word is recognised; spaces keep the offsets.
    const between = gap > 0 ? '\n'.padEnd(gap) : '';
    const text = passage.text + between + next.text.slice(Math.max(0, -gap));
    return { ...passage, text, end: Math.max(passage.end, next.end) };
  });
}

/** Texts that are compared letter by letter for one quotation, so that this takes little time however long a file is. */
const MAX_COMPARED = 12;
/** Words of a quotation that are looked for first. */
const MAX_WORDS = 12;

/** The texts with most of a quotation's words, and at least half of them: marks of print may divide the others. */
function candidates<Text extends { text: string }>(quote: string, texts: readonly Text[]): Text[] {
  // The first letter may have another case.
  const wanted = (quote.match(/[\p{L}\p{N}\p{M}]{2,}/gu) ?? [])
    .flatMap((word) => (UNSPACED.test(word) ? (word.match(/../gsu) ?? []) : word.slice(1)))
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_WORDS);
  return texts
    .map((one) => ({ one, count: wanted.filter((word) => one.text.includes(word)).length }))
    .filter(({ count }) => count * 2 >= wanted.length)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MAX_COMPARED)
    .map(({ one }) => one);
}
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

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

/** The end of a page with the beginning of the next one, where a sentence goes on. */
interface PageBreak {
  text: string;
  before: CitablePassage;
  /** The end of what the first page says, in its passage. */
  end: number;
}

function pageBreaks(passages: readonly CitablePassage[]): PageBreak[] {
  const sorted = passages.toSorted((a, b) => a.page - b.page || a.start - b.start);
  return sorted.flatMap((before, at) => {
    const next = sorted[at + 1];
    if (next?.page !== before.page + 1 || next.start > MAX_GAP) return [];
    const end = withoutPageNumber(before.text, 'last');
    if (/[.!?:;|]["”’)\]]{0,3}$/.test(end.trimEnd())) return [];
    return [
      {
        text: `${end}\n${withoutPageNumber(next.text, 'first')}`,
        before,
        end: end.trimEnd().length,
      },
    ];
  });
}

/** The place on the first page of a quotation that goes on on the next one. */
function acrossPages(quote: string, passages: readonly CitablePassage[]): SourceRef | null {
  for (const { text, before, end } of candidates(quote, pageBreaks(passages))) {
    const span = findVerbatim(text, quote);
    const { length } = before.text;
    if (span && span.start < length && span.end > length)
      return refOf(before, { start: span.start, end });
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
  for (const passage of candidates(quote, cited)) {
    const span = findVerbatim(passage.text, quote);
    if (span) return { index: cited.indexOf(passage), ref: refOf(passage, span) };
  }
  for (const fileId of new Set(cited.map((passage) => passage.fileId))) {
    const index = cited.findIndex((passage) => passage.fileId === fileId);
    const own = given.filter((passage) => passage.fileId === fileId);
    for (const window of candidates(quote, windowsOf(own))) {
      const span = findVerbatim(window.text, quote);
      if (span) return { index, ref: refOf(window, span) };
    }
    const ref = acrossPages(quote, own);
    if (ref) return { index, ref };
  }
  return null;
}
