/** PDFium's sign for a hyphen at a line end, after which the word goes on. */
const BREAK = '\uFFFE';
/** Broken words of one document that are looked up in it. */
const MAX_BROKEN = 50_000;
/** Characters of a word that count beside its break. */
const MAX_PART = 64;

/** Puts a hyphen where one at a line end belongs to its word; the text keeps its length. */
export type KeepHyphens = (raw: string) => string;

/**
 * A hyphen at a line end belongs to its word when the document has the word with it elsewhere and not without ("long-term"), and
 * in "Coca-Cola" and "COVID-19", where no word is broken.
 * @param raws the text of each page as PDFium gives it
 */
export function findHyphens(raws: readonly string[]): KeepHyphens {
  const wanted = new Set<string>();
  for (const raw of raws)
    mapBreaks(raw, (before, after) => {
      if (wanted.size < 2 * MAX_BROKEN)
        wanted.add(hyphenated(before, after)).add(joined(before, after));
      return BREAK;
    });
  const found = new Set<string>();
  if (wanted.size > 0) for (const raw of raws) find(raw, wanted, found);
  return (raw) =>
    mapBreaks(raw, (before, after) => {
      if (found.has(joined(before, after))) return BREAK;
      const isOwn = found.has(hyphenated(before, after)) || startsName(before, after);
      return isOwn ? '-' : BREAK;
    });
}

/** The hyphens that a page has whose text was read before. */
export function hyphensOf(text: string): KeepHyphens {
  return (raw) => {
    let at = 0;
    const units = raw.split('').map((unit) => {
      if (unit === '\r' || unit === '\0') return unit;
      if (unit === BREAK && text[at] !== '-') return unit;
      at += 1;
      return unit === BREAK ? '-' : unit;
    });
    return units.join('');
  };
}

const hyphenated = (before: string, after: string) => `${before}-${after}`.toLowerCase();
const joined = (before: string, after: string) => `${before}${after}`.toLowerCase();

/** A name or a number goes on; after a part in small letters it may be the number of the page. */
const startsName = (before: string, after: string): boolean =>
  /^\p{Lu}\p{Ll}/u.test(after) || (/^\p{N}/u.test(after) && !/\p{Ll}/u.test(before));

/** Replaces each sign of a break that stands between two parts of a word. */
function mapBreaks(raw: string, replace: (before: string, after: string) => string): string {
  const [first = '', ...others] = raw.split(BREAK);
  let last = first;
  const parts = [first];
  for (const piece of others) {
    const before = last
      .slice(-MAX_PART)
      .split(/[^\p{L}\p{N}]/u)
      .at(-1);
    const [after] = piece.slice(0, MAX_PART).split(/[^\p{L}\p{N}]/u);
    parts.push(before && after ? replace(before, after) : BREAK, piece);
    last = piece;
  }
  return parts.join('');
}

/** Finds the words that are wanted in a page: each part of a word by itself, and with the part before it. */
function find(raw: string, wanted: ReadonlySet<string>, found: Set<string>): void {
  const text = raw.toLowerCase();
  let before = { word: '', end: -1 };
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (wanted.has(word)) found.add(word);
    const isPart = index === before.end + 1 && /[-\u2010\u2011]/.test(text[index - 1] ?? '');
    if (isPart && wanted.has(hyphenated(before.word, word)))
      found.add(hyphenated(before.word, word));
    before = { word, end: index + word.length };
  }
}
