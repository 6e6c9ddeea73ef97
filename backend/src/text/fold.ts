/** Letters that NFKD does not decompose, and the final sigma. */
const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ς: 'σ',
};

/** Diacritics of Latin, Greek and Cyrillic letters, vowel points of Hebrew and Arabic, and marks that are invisible. */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u00ad\u200b-\u200d]/g;

/** `text` for comparison: lower case, compatibility forms unified, without diacritics. Marks of other scripts are letters. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (!NOT_ASCII.test(lower)) return lower;
  return lower
    .normalize('NFKD')
    .replace(MARKS, '')
    .normalize('NFC')
    .replace(/[ßæœøłđıς]/g, (letter) => LETTERS[letter] ?? letter);
}

const NOT_ASCII = /[\u0080-\uffff]/;
