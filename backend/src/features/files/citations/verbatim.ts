/** A place in a text, in UTF-16 code units; `end` is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** A text in the form in which quotations are compared, with the place of each of its code units in the original. */
interface Normalised {
  text: string;
  starts: number[];
  ends: number[];
}

const INVISIBLE = /[\u00AD\u200B-\u200D\u2060\uFEFF]/gu;
const SIGNS: [RegExp, string][] = [
  [/[\p{Pd}\u2212]/gu, '-'],
  [/[\u201C-\u201F\u00AB\u00BB\u2033\u2036]/gu, '"'],
  [/[\u2018-\u201B\u2039\u203A\u2032\u2035\u00B4`]/gu, "'"],
];

/** What a reader sees as one character: composition crosses no border of graphemes. */
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const ASCII = /^[\0-\x7F]$/;

function normaliseCharacter(character: string): string {
  if (/^\s+$/u.test(character)) return ' ';
  if (ASCII.test(character)) return character === '`' ? "'" : character;
  // Quote marks first: NFKC takes some of them apart.
  const signs = SIGNS.reduce((text, [pattern, sign]) => text.replace(pattern, sign), character);
  return signs.normalize('NFKC').replace(INVISIBLE, '').replace(/\s+/gu, ' ');
}

function normalise(text: string): Normalised {
  const result: Normalised = { text: '', starts: [], ends: [] };
  for (const { segment, index } of graphemes.segment(text)) {
    const end = index + segment.length;
    for (const unit of normaliseCharacter(segment).split('')) {
      const last = result.ends.length - 1;
      if (unit === ' ' && result.text.endsWith(' ')) {
        result.ends[last] = end;
        continue;
      }
      result.text += unit;
      result.starts.push(index);
      result.ends.push(end);
    }
  }
  return result;
}

/** Scripts without spaces between words: a quotation may begin and end anywhere. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;
const isWordCharacter = (character: string) =>
  /[\p{L}\p{N}]/u.test(character) && !UNSPACED.test(character);

const characterBefore = (text: string, at: number) =>
  Array.from(text.slice(Math.max(0, at - 2), at)).at(-1) ?? '';
const characterAt = (text: string, at: number) => Array.from(text.slice(at, at + 2))[0] ?? '';

/** Whether a cut at `at` goes through a word or a number: “5 days” is no quotation of “2.5 days”. */
function isInsideWord(text: string, at: number): boolean {
  const before = characterBefore(text, at);
  const after = characterAt(text, at);
  if (isWordCharacter(before) && isWordCharacter(after)) return true;
  if (/\d[.,]$/.test(text.slice(0, at)) && /\d/.test(after)) return true;
  return /\d/.test(before) && /^[.,]\d/.test(text.slice(at));
}

/**
 * Where `quote` stands in `text` letter for letter, apart from compatibility forms (NFKC), white space, dashes and the
 * forms of quote marks. Whole words and numbers only. @returns the place in the original text, or null
 */
export function findVerbatim(text: string, quote: string): Span | null {
  const { text: wanted } = normalise(quote.trim());
  if (!/[\p{L}\p{N}]/u.test(wanted)) return null;
  const { text: searched, starts, ends } = normalise(text);
  for (let at = searched.indexOf(wanted); at !== -1; at = searched.indexOf(wanted, at + 1)) {
    const after = at + wanted.length;
    if (isInsideWord(searched, at) || isInsideWord(searched, after)) continue;
    return { start: starts[at] ?? 0, end: ends[after - 1] ?? 0 };
  }
  return null;
}
