import {
  eitherCase,
  isLongEnough,
  mayOmit,
  partsOf,
  type QuotePart,
  withoutPrintMarks,
  withoutTables,
} from './printed.ts';
import { segmentsOf } from './segments.ts';

/** A place in a text, in UTF-16 code units; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** A text normalised for the comparison of quotations, with the original place of each of its code units. */
interface Normalised {
  text: string;
  starts: number[];
  ends: number[];
  /** Whether a hyphen stands in this range of the original text. */
  isHyphenated?: (from: number, to: number) => boolean;
}

const INVISIBLE = /[\u00AD\u200B-\u200D\u2060\uFEFF]/gu;
const SIGNS: [RegExp, string][] = [
  [/[\p{Pd}\u2212]/gu, '-'],
  [/[\u201C-\u201F\u00AB\u00BB\u2033\u2036]/gu, '"'],
  [/[\u2018-\u201B\u2039\u203A\u2032\u2035\u00B4`]/gu, "'"],
];

/** Visible characters: composition does not cross the borders of graphemes. */
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const ASCII = /^[\0-\x7F]$/;
/** Visible ASCII, which stays unchanged; another ASCII character; others with adjacent ASCII characters that may belong to them. */
const RUN =
  /(?<visible>[!-_a-~]+(?![^\0-\x7F]))|[\0-\x7F](?![^\0-\x7F])|[\0-\x7F]?[^\0-\x7F](?:[\0-\x7F]?[^\0-\x7F])*/g;

function normaliseCharacter(character: string): string {
  if (/^\s+$/u.test(character)) return ' ';
  if (ASCII.test(character)) return character === '`' ? "'" : character;
  // Quote marks first, because NFKC decomposes some of them.
  const signs = SIGNS.reduce((text, [pattern, sign]) => text.replace(pattern, sign), character);
  return signs.normalize('NFKC').replace(INVISIBLE, '').replace(/\s+/gu, ' ');
}

function normalise(text: string): Normalised {
  const units: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const push = (unit: string, start: number, end: number) => {
    if (unit === ' ' && units.at(-1) === ' ') ends[ends.length - 1] = end;
    else {
      units.push(unit);
      starts.push(start);
      ends.push(end);
    }
  };
  for (const { 0: run, index: from, groups } of text.matchAll(RUN)) {
    if (groups?.visible)
      for (let at = 0; at < run.length; at += 1) push(run.charAt(at), from + at, from + at + 1);
    else
      for (const { segment, index } of charactersOf(run))
        for (const unit of normaliseCharacter(segment).split(''))
          push(unit, from + index, from + index + segment.length);
  }
  return { text: units.join(''), starts, ends };
}

const charactersOf = (run: string): Iterable<{ segment: string; index: number }> =>
  run.length === 1 ? [{ segment: run, index: 0 }] : segmentsOf(graphemes, run);

/** Scripts without spaces between words: a quotation may begin and end anywhere. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;
const isWordCharacter = (character: string) =>
  /[\p{L}\p{N}]/u.test(character) && !UNSPACED.test(character);

const characterBefore = (text: string, at: number) =>
  Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
const characterAt = (text: string, at: number) => Array.from(text.slice(at, at + 2))[0] ?? '';

/** Whether a cut at `at` is inside a word or a number: “5 days” is no quotation of “2.5 days”. */
function isInsideWord(text: string, at: number): boolean {
  const before = characterBefore(text, at);
  const after = characterAt(text, at);
  if (isWordCharacter(before) && isWordCharacter(after)) return true;
  if (/\d[.,]$/.test(text.slice(Math.max(0, at - 2), at)) && /\d/.test(after)) return true;
  return /\d/.test(before) && /^[.,]\d/.test(text.slice(at, at + 2));
}

/**
 * The place of `quote` in `text`, letter for letter apart from compatibility forms (NFKC), white space, dashes and the forms of quote
 * marks. Whole words and numbers only. When it is not there, it is looked for as a reader would print it: without the marks of tables
 * and lists, hyphens and superscripts, with another case of its first letter, and with omissions in brackets.
 * @returns the place in the original text, or null
 */
export function findVerbatim(text: string, quote: string): Span | null {
  const wanted = quote.trim();
  if (!/[\p{L}\p{N}]/u.test(wanted)) return null;
  return findIn(normalise(text), normalise(wanted).text) ?? findPrinted(text, wanted);
}

function findIn(searched: Normalised, wanted: string): Span | null {
  const [at = -1] = occurrences(searched, wanted, 0);
  return at === -1 ? null : spanOf(searched, at, at + wanted.length);
}

const spanOf = ({ starts, ends }: Normalised, from: number, after: number): Span => ({
  start: starts[from] ?? 0,
  end: ends[after - 1] ?? 0,
});

/** The places of whole words from `from` on. */
function* occurrences(searched: Normalised, wanted: string, from: number): Generator<number> {
  const { text } = searched;
  if (wanted === '') return;
  for (let at = text.indexOf(wanted, from); at !== -1; at = text.indexOf(wanted, at + 1))
    if (!isCut(searched, at) && !isCut(searched, at + wanted.length)) yield at;
}

/** Whether a border at `at` is inside a word. A hyphen that was left out is none. */
const isCut = ({ text, starts, ends, isHyphenated }: Normalised, at: number): boolean =>
  !isHyphenated?.(ends[at - 1] ?? 0, starts[at] ?? 0) && isInsideWord(text, at);

/** Places of a first part that are tried. */
const MAX_TRIED = 50;

function findPrinted(text: string, quote: string): Span | null {
  const searched = {
    ...normalise(withoutPrintMarks(text)),
    isHyphenated: (from: number, to: number) => /\p{Pd}/u.test(text.slice(from, to)),
  };
  for (const parts of partsOf(quote)) {
    const [first, ...rest] = parts.map((part) => ({
      ...part,
      text: normalise(withoutTables(part.text)).text.trim(),
    }));
    if (!first || ![first, ...rest].every((part) => isLongEnough(part, rest.length > 0))) continue;
    for (const wanted of eitherCase(first.text)) {
      let tried = 0;
      for (const at of occurrences(searched, wanted, 0)) {
        const after = endOfParts(searched, at + wanted.length, rest);
        if (after !== null) return spanOf(searched, at, after);
        if ((tried += 1) >= MAX_TRIED) break;
      }
    }
  }
  return null;
}

/** The end of the parts that follow each other from `from` on; null when one is missing, or too much is left out before it. */
function endOfParts(
  searched: Normalised,
  from: number,
  parts: readonly QuotePart[],
): number | null {
  let after = from;
  for (const part of parts) {
    const [at] = occurrences(searched, part.text, after);
    if (at === undefined) return null;
    const before = searched.text.slice(Math.max(0, after - 2), after);
    if (!mayOmit({ before, omitted: searched.text.slice(after, at), gap: part.gap })) return null;
    after = at + part.text.length;
  }
  return after;
}
