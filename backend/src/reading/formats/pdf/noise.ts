/** A shorter text is left as it is. */
const MIN_LENGTH = 20;
/** Text is noise when this share of it is no letter of any script, or of its words are no words of any. */
const MIN_SHARE = 0.3;
/** Characters that are examined for scripts. */
const SAMPLE_LENGTH = 5_000;
const MIN_WORD_LENGTH = 4;
/** No language mixes more scripts in one word; formulas mix two. */
const MAX_SCRIPTS = 2;
/** Scripts that are written together in one word count as one: Japanese, Korean and Chinese. */
const SCRIPTS = (
  'Latin Greek Cyrillic Armenian Georgian Hebrew Arabic Syriac Thaana Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu ' +
  'Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Ethiopic Cherokee Khmer Mongolian'
)
  .split(' ')
  .map((name) => new RegExp(`\\p{Script=${name}}`, 'u'))
  .concat(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u,
  );

/** Whether a text is what a font gives that does not say which letters it shows. */
export function isNoise(text: string): boolean {
  const shown = text.match(/\S/gu)?.length ?? 0;
  if (shown < MIN_LENGTH) return false;
  const unknown = text.match(/[\p{Co}\p{Cn}\uFFFD]|(?=\P{White_Space})\p{Cc}/gu)?.length ?? 0;
  return unknown > MIN_SHARE * shown || isMixed(text) || isUtf8AsHangul(text);
}

/** Whether many of the words have letters of more scripts than any language mixes. */
function isMixed(text: string): boolean {
  // Most pages of the world have letters of Latin only.
  if (!/[\u0370-\u{10FFFF}]/u.test(text)) return false;
  const words = text.slice(0, SAMPLE_LENGTH).match(/[\p{L}\p{M}]+/gu) ?? [];
  const long = words.filter((word) => word.length >= MIN_WORD_LENGTH);
  const mixed = long.filter(
    (word) => SCRIPTS.filter((script) => script.test(word)).length > MAX_SCRIPTS,
  );
  return mixed.length > MIN_SHARE * long.length;
}

/**
 * Some programs write the map of a font in UTF-8 where UTF-16 is due: each letter of Cyrillic is then a syllable of Hangul, all of them among
 * 450 of its 11,172.
 */
function isUtf8AsHangul(text: string): boolean {
  const syllables = text.match(/\p{Script=Hangul}/gu)?.length ?? 0;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const wrong = text.match(/[\uD080-\uD0BF\uD180-\uD1BF]/g)?.length ?? 0;
  return syllables > MIN_SHARE * letters && wrong > 0.9 * syllables;
}
