// How a quotation that is printed differs from the text of a file: marks of tables and lists, hyphens of line ends, superscripts, and
// omissions in brackets. All replacements keep the length of a text, so that places stay the same.

/** A character that comparison leaves out. */
const NOTHING = '\u2060';
const blank = (found: string): string => ' '.repeat(found.length);
const drop = (found: string): string => NOTHING.repeat(found.length);

/** Tags of tables and of formatted text inside them. */
const BLOCK_TAG =
  /<\/?(?:table|thead|tbody|tfoot|tr|td|th|caption|div|p|br|ul|ol|li)(?:\s[^<>]{0,200})?\/?>/gi;
const INLINE_TAG = /<\/?(?:b|i|u|em|strong|span|sup|sub|a|code)(?:\s[^<>]{0,200})?>/gi;
/** A line of signs; the one below the head of a table has dashes and bars. */
const SIGNS_LINE = /^[ \t|:-]+$/gm;
const blankRule = (line: string): string =>
  line.includes('---') && line.includes('|') ? blank(line) : line;
const HYPHEN = /(?<=\p{L})\p{Pd}(?:[ \t]*\r?\n[ \t]*)?(?=\p{L})/gu;
/** Alef, an alef with a sign, lam: a PDF gives the ligature of the last two in visual order. */
const LAM_ALEF = /\u0627([\u0622\u0623\u0625\u0627])\u0644/g;

/** A text or quotation without the marks of tables, and with hyphens and ligatures in one form. */
export const withoutTables = (text: string): string =>
  text
    .replace(SIGNS_LINE, blankRule)
    .replace(BLOCK_TAG, blank)
    .replace(INLINE_TAG, drop)
    .replace(/\|/g, ' ')
    .replace(HYPHEN, drop)
    .replace(LAM_ALEF, '\u0627\u0644$1');

/** Numbers and signs at the beginning of list items. */
const ITEM =
  /^[ \t]*(?:[•▪◦‣●○■–*-]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\d{1,2}(?:\.\d{1,2}){1,3}\.?)[ \t]+/gm;
const SUPERSCRIPT = /(?<=\p{L})[\u00B9\u00B2\u00B3\u2070-\u2079]+/gu;
/** Numbers of notes and affiliations behind a word. */
const NOTE_NUMBER = /(?<=\p{Ll})\d{1,2}(?:,\d{1,2}){0,4}(?=\s?[,;(]|\s(?:and|und)\s)/gu;
/** Signs of notes, and the parentheses that a picture leaves. */
const NOTE_SIGN = /[*\u2217\u2020\u2021]|\s?\(\s?\)/gu;

/** The text of a file as it looks in print. */
export const withoutPrintMarks = (text: string): string =>
  withoutTables(
    text
      .replace(ITEM, blank)
      .replace(SUPERSCRIPT, drop)
      .replace(NOTE_NUMBER, drop)
      .replace(NOTE_SIGN, drop),
  );

/** The quotation with the other case of its first letter too; abbreviations such as 'US' keep theirs. */
export function eitherCase(quote: string): string[] {
  const [first = '', second = ''] = quote;
  if (/\p{Lu}/u.test(second)) return [quote];
  const other = first === first.toLowerCase() ? first.toUpperCase() : first.toLowerCase();
  return other === first || other.length !== first.length
    ? [quote]
    : [quote, other + quote.slice(first.length)];
}

/** A part of a quotation between brackets. */
export interface QuotePart {
  text: string;
  /** What stands before it in place of the file's words; null at the beginning. */
  gap: 'omission' | 'insertion' | null;
}

const MAX_PARTS = 8;
const BRACKETS = /\[([^[\]]{0,40})\]/g;
const ELLIPSIS = /^\s*(?:…|\.{3}|\.\s\.\s\.)\s*$/;
/** '[w]e': the letter has another case in the file. */
const CHANGED_CASE = /\[(\p{L})\](?=\p{L})/gu;
const NEGATION =
  /(?<!\p{L})(?:not|no|never|none|neither|nor|without|cannot|except|unless|hardly|nicht|kein\p{L}*|nie|niemals|ohne|weder|ausgenommen|ne|pas|jamais|sans|aucune?|nunca|sin|ni|tampoco)(?!\p{L})|n[’']t(?!\p{L})/iu;
/** Words in brackets change nothing that counts: no number and no negation. */
const isHarmless = (text: string): boolean => !/\p{N}/u.test(text) && !NEGATION.test(text);

/**
 * The parts that must follow each other in the file: a quotation whole, and divided at '[…]' and at words in brackets. None of a
 * quotation with brackets that change its meaning.
 */
export function partsOf(quote: string): QuotePart[][] {
  const whole: QuotePart[] = [{ text: quote, gap: null }];
  const plain = quote.replace(CHANGED_CASE, '$1');
  const brackets = Array.from(plain.matchAll(BRACKETS));
  if (brackets.length === 0) return plain === quote ? [whole] : [[{ text: plain, gap: null }]];
  if (brackets.length >= MAX_PARTS || !brackets.every(([, inner = '']) => isHarmless(inner)))
    return [whole];
  const parts: QuotePart[] = [];
  let done = 0;
  let gap: QuotePart['gap'] = null;
  for (const { 0: found, 1: inner = '', index } of [
    ...brackets,
    { 0: '', 1: '', index: plain.length },
  ]) {
    const text = plain.slice(done, index);
    if (text.trim() !== '') parts.push({ text, gap: parts.length === 0 ? null : gap });
    gap = ELLIPSIS.test(inner) ? 'omission' : 'insertion';
    done = index + found.length;
  }
  return [whole, parts];
}

/** Code units that an omission may leave out, and words that one in brackets may replace. */
const MAX_OMITTED = 1_000;
const MAX_REPLACED_WORDS = 4;

/** In a text with single spaces; an abbreviation goes on in lower case. */
const SENTENCE_END = /[.!?]["')]? (?!\p{Ll})/u;

interface Omission {
  /** The last characters before it. */
  before: string;
  omitted: string;
  gap: QuotePart['gap'];
}

/** Whether these words of the file may be missing in a quotation: a negation belongs to its sentence. */
export function mayOmit({ before, omitted, gap }: Omission): boolean {
  if (omitted.length > MAX_OMITTED) return false;
  if (gap === 'omission') {
    const sentences = omitted.split(SENTENCE_END);
    if (sentences.length > 1 && /[.!?]["')]?$/.test(before)) return true;
    // A whole sentence between may have a negation; the missing parts of the two quoted ones may not.
    return ![sentences[0], sentences.at(-1)].some((part) => NEGATION.test(part ?? ''));
  }
  const words = omitted.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length > 0 && words.length <= MAX_REPLACED_WORDS && isHarmless(omitted);
}

/** A divided quotation needs parts that mean something alone. */
export const isLongEnough = ({ text }: QuotePart, isDivided: boolean): boolean =>
  /[\p{L}\p{N}]/u.test(text) && (!isDivided || /[\p{L}\p{N}]\s+\S*[\p{L}\p{N}]/u.test(text));
