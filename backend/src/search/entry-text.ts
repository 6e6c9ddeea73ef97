import { wordsOf } from './words.ts';

/** The lengths of indexed prefixes of a word; lengths in between are searched in the words. */
const BEGINNINGS = [1, 2, 3, 4, 6, 8, 12];
/** Ends a prefix, so that it is no word: a private-use character, which no word contains. */
const MARK = '\u{e000}';

/**
 * The indexed form of a text: its distinct words and their prefixes, separated by spaces, so that a phrase with spaces around it is a whole
 * word. Empty when the text has no word.
 */
export function entryText(text: string): string {
  const words = new Set<string>();
  const beginnings = new Set<string>();
  for (const { word } of wordsOf(text)) {
    if (words.has(word)) continue;
    words.add(word);
    const letters = Array.from(word);
    for (const length of BEGINNINGS)
      if (length <= letters.length) beginnings.add(letters.slice(0, length).join('') + MARK);
  }
  return words.size === 0 ? '' : ` ${[...words, ...beginnings].join(' ')} `;
}

/** MongoDB's `$search` for texts that contain every word; the last one may be a prefix of a word. */
export function textSearch(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return [...words.slice(0, -1).map((word) => ` ${word} `), ...beginning(last)]
    .map((phrase) => `"${phrase}"`)
    .join(' ');
}

function beginning(word: string): string[] {
  const letters = Array.from(word);
  const length = BEGINNINGS.findLast((indexed) => indexed <= letters.length) ?? 0;
  const indexed = ` ${letters.slice(0, length).join('')}${MARK} `;
  return length === letters.length ? [indexed] : [indexed, ` ${word}`];
}
