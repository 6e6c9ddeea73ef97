import iconv from 'iconv-lite';

/** The letters beyond ASCII of a language, and those that only end its words. */
type Alphabet = readonly [letters: string, finals?: string];

const CENTRAL_EUROPE: readonly Alphabet[] = [
  // Polish, Czech, Slovak, Hungarian, Romanian, Croatian and Slovene, Albanian.
  ['ąćęłńóśźż'],
  ['áčďéěíňóřšťúůýž'],
  ['áäčďéíĺľňóôŕšťúýž'],
  ['áéíóöőúüű'],
  ['ăâîşţ'],
  ['čćđšž'],
  ['çë'],
];

/** Encodings of Latin letters with the languages that are written in them; the more usual ones first. */
const ENCODINGS: readonly (readonly [encoding: string, alphabets: readonly Alphabet[]])[] = [
  [
    'windows-1252',
    [
      // German, French, Spanish and Catalan, Portuguese, Italian.
      ['äöüßé'],
      ['àâæçéèêëîïôœûüöñ', 'ù'],
      ['áàéèíïñóòúüç'],
      ['áâãàçéêíóôõúü'],
      ['', 'àèéìíîòóùú'],
      // Swedish and Finnish, Danish and Norwegian, Dutch, Estonian, Irish.
      ['åäöéüà'],
      ['æøåéèóòôüäö'],
      ['éëïöüèêáóíçä'],
      ['äöõüšž'],
      ['áéíóú'],
    ],
  ],
  // A Turkish text may have only letters that are Icelandic in Windows-1252; an Icelandic one has other vowels too.
  ['windows-1254', [['çğıöşüâîû\u0307']]],
  ['windows-1252', [['áðéíóúýþæö']]],
  ['windows-1250', CENTRAL_EUROPE],
  ['iso-8859-2', CENTRAL_EUROPE],
  // Lithuanian, Latvian.
  ['windows-1257', [['ąčęėįšųūž'], ['āčēģīķļņšūž']]],
];

/** Most letters beyond ASCII belong to one language; names may have others. */
const MIN_SHARE = 0.95;

/** Signs and letters where no text has them. */
const MISPLACED = new RegExp(
  [
    // Control characters, and accents without their letters.
    String.raw`[\u0080-\u009f\ufffd¯ˇ˘˙˛˝¸¨]`,
    // Signs within words.
    String.raw`(?<=\p{L})[^\p{L}\p{M}\p{N}\s\0-\x7f’‘´·\u00ad–—…“”„](?=\p{L})`,
    String.raw`[©¹²³ªº¼½¾](?=\p{L})|£(?=\p{L}{3})|(?<=\p{L})[±¶]`,
    // A power behind a word that is no unit.
    String.raw`(?<=\p{L})(?<!(?<!\p{L})(?:[ckdm]?m|ft|in|yd))³`,
    // Within a word, and at its end.
    String.raw`ì(?=\p{L})|œ(?!\p{L})`,
  ].join('|'),
  'u',
);

const LETTER = /[^\0-\x7fªº](?<=[\p{L}\p{M}])(?<isWithin>(?=\p{L}))?/gu;

/** The encodings of Latin letters in which bytes are words of a language, the most usual one first. */
export function latinEncodingsOf(sample: Buffer): string[] {
  const found = ENCODINGS.filter(([encoding, alphabets]) => {
    const text = iconv.decode(sample, encoding).toLowerCase();
    if (MISPLACED.test(text)) return false;
    const letters = Array.from(text.matchAll(LETTER), ({ 0: letter, groups }) => ({
      letter,
      isFinal: groups?.['isWithin'] === undefined,
    }));
    // Only signs, such as '€'.
    if (letters.length === 0) return encoding === 'windows-1252';
    return alphabets.some(([own, finals = '']) => {
      const count = letters.filter(
        ({ letter, isFinal }) => own.includes(letter) || (isFinal && finals.includes(letter)),
      ).length;
      return count >= letters.length * MIN_SHARE;
    });
  });
  return found.map(([encoding]) => encoding);
}
