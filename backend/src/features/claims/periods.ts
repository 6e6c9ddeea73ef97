import { WORD_START } from './numbers.ts';

/** A quarter or a half of a year: `Q3`, `H1`. */
export interface PeriodValue {
  kind: 'period';
  name: string;
}

const NO_NUMBER = String.raw`(?<![\p{L}\p{M}\d]|\d[.,])`;
const FISCAL = '(?:FY|CY|GJ)';
/** First letters of ordinals in English, German, French and Spanish. */
const RANKS = ['fi er pr', 'se zw de', 'th dr tr te', 'fo vi qu cu'];
const RANK = String.raw`[1-4](?:st|nd|rd|th|\.|er|[eè](?:re|me)?|º)|first|second|third|fourth|(?:erste|zweite|dritte|vierte)[mnrs]?|premier|deuxi[eè]me|troisi[eè]me|quatri[eè]me|primer|segundo|tercer|cuarto`;
const YEAR_BEHIND = String.raw`(?:of\s(?:the\s)?)?(?:(?:fiscal|financial|calendar)\s)?(?:year|${FISCAL}?\s?(?:19|20)\d{2}(?!\d|[’']?s))`;
const QUARTER = 'quarters?|quartal(?:e?s)?|trimestre';
const HALF = String.raw`halbjahr(?:e?s)?|semestre|half[ -]year|half(?=\s${YEAR_BEHIND})`;
/** 'H2' is hydrogen too: a half has a year behind it. */
const HALF_YEAR = String.raw`(?=\s?[-–/’']?\s?${FISCAL}?\s?(?:19|20)\d{2}(?!\d)|[-–/’']${FISCAL}?\d{2}(?!\d)|\s?${FISCAL}|\d{2}(?!\d))`;
const PERIOD = new RegExp(
  [
    String.raw`(?:${WORD_START}(?:Q(?<q1>[1-4])(?:\s?[-–/]\s?Q?(?<q2>[1-4])(?!\d))?(?!\p{L}|[\d.,]\d|\d)|H(?<h1>[12])(?!\d)${HALF_YEAR})`,
    String.raw`|${NO_NUMBER}(?:(?<q3>[1-4])Q(?!\p{L})|(?<h2>[12])H${HALF_YEAR}))`,
    // A separator before the year is no minus sign.
    String.raw`(?:(?:\s?[’']|[-–/])(?=${FISCAL}?\d)|\s?[-–/]\s?(?=(?:19|20)\d{2}))?(?:\s?${FISCAL}[\s’'-]?(?=\d))?(?:(?<year>\d{2})(?!\p{L}|\d|[.,]\d|\s?%))?`,
    String.raw`|${NO_NUMBER}(?<rank>${RANK})[\s-](?:(?:fiscal|financial|calendar)\s)?(?:(?<quarter>${QUARTER})|(?<half>${HALF}))(?![\p{L}-]|\s(?:of\sthe|des)\s\d{1,2}\D)`,
    String.raw`|(?<![\p{L}\p{M}\d]|\d\s)${FISCAL}[\s’'-]{0,2}(?<fiscal>\d{4}|\d{2})(?!\p{L}|\d|[.,]\d|\s?%)`,
  ].join(''),
  'giu',
);

/** The quarters and halves of a text, and the text without them, with the years of two digits beside them in full. */
export function periodsIn(text: string): { periods: PeriodValue[]; rest: string } {
  const periods: PeriodValue[] = [];
  const rest = text.replace(PERIOD, (...found: unknown[]) => {
    const groups = found.at(-1) as Record<string, string | undefined>;
    const rank = rankOf(groups['rank']);
    const quarters = [groups['q1'], groups['q2'], groups['q3'], groups['quarter'] && rank];
    const halves = [groups['h1'], groups['h2'], groups['half'] && rank];
    for (const [letter, named] of [['Q', quarters] as const, ['H', halves] as const])
      for (const one of named) if (one) periods.push({ kind: 'period', name: `${letter}${one}` });
    const year = groups['year'] ?? groups['fiscal'] ?? '';
    return ` ${year.length === 2 ? `20${year}` : year}`;
  });
  return { periods, rest };
}

/** '3' of 'third' and '3rd'. */
function rankOf(written = ''): string {
  const digit = /^\d/.exec(written)?.[0];
  const start = written.slice(0, 2).toLowerCase();
  return digit ?? String(1 + RANKS.findIndex((starts) => starts.split(' ').includes(start)));
}
