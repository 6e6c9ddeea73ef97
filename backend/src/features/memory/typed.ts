/** A range of a text, in UTF-16 code units; `end` is exclusive. */
export interface Range {
  start: number;
  end: number;
}

/** Longer paragraphs count as pasted, as do longer pastes that the composer reported. */
export const MAX_PASTE_LENGTH = 500;

/**
 * The text of a message that the user typed: everything except code blocks, quoted lines, paragraphs longer than 500 characters, and pastes
 * that the composer reported. Texts of other authors arrive in these forms, and are never saved.
 * @param pastes ranges of the message that were pasted, each longer than 500 characters in all
 */
export function typedRanges(content: string, pastes: readonly Range[] = []): Range[] {
  const typed: Range[] = [];
  let fence: string | null = null;
  let paragraph: Range[] = [];
  const endParagraph = () => {
    const length = paragraph.reduce((sum, { start, end }) => sum + end - start, 0);
    if (length <= MAX_PASTE_LENGTH) typed.push(...joined(paragraph));
    paragraph = [];
  };
  for (const { 0: line, index } of content.matchAll(/[^\n]*(?:\n|$)/g)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === null && mark) fence = mark;
    else if (fence !== null && mark?.startsWith(fence)) {
      fence = null;
      continue;
    }
    const isOther = fence !== null || QUOTED.test(line) || INDENTED.test(line);
    if (isOther || line.trim() === '') endParagraph();
    else paragraph.push({ start: index, end: index + line.length });
  }
  endParagraph();
  return pastes.reduce(without, typed);
}

/** The text in the ranges, with a mark for each omission. */
export const textIn = (content: string, ranges: readonly Range[]): string =>
  ranges
    .map(({ start, end }) => content.slice(start, end).trim())
    .filter(Boolean)
    .join('\n[…]\n');

/** The place of `quote`, letter for letter, within a single range. */
export function findQuote(
  content: string,
  ranges: readonly Range[],
  quote: string,
): Range | undefined {
  for (const range of ranges) {
    const start = content.slice(0, range.end).indexOf(quote, range.start);
    if (start !== -1) return { start, end: start + quote.length };
  }
  return undefined;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const QUOTED = /^\s*(?:>|[|"“„«»])/;
const INDENTED = /^(?: {4}|\t)/;

/** Consecutive lines are one range. */
function joined(lines: Range[]): Range[] {
  const [first] = lines;
  const last = lines.at(-1);
  return first && last ? [{ start: first.start, end: last.end }] : [];
}

const without = (ranges: Range[], paste: Range): Range[] =>
  ranges.flatMap(({ start, end }) => {
    if (paste.end <= start || paste.start >= end) return [{ start, end }];
    return [
      { start, end: paste.start },
      { start: paste.end, end },
    ].filter((rest) => rest.start < rest.end);
  });

/** Words with which users refer to themselves or ask to remember something, in common interface languages. */
const CUES =
  /(?<![\p{L}])(?:i|i['’]m|i['’]ve|my|mine|me|we|our|remember|forget|note that|always|never|from now on|immer|niemals|ab jetzt|ich|mein\p{L}*|mir|mich|wir|unser\p{L}*|merk\p{L}*|vergiss|je|j['’]|mon|ma|mes|nous|notre|souviens|yo|soy|mi|mis|me|nuestro|recuerda|io|sono|mio|mia|ricorda|eu|sou|meu|minha|lembre|ik|ben|mijn|onthoud)(?![\p{L}])/iu;
const LATIN = /^[\P{L}\p{Script=Latin}]*$/u;
const MIN_LENGTH = 8;

/**
 * Whether a text may contain a statement about its user. Most messages contain none and cost no call. Spanish and other languages omit
 * pronouns, so that some statements are missed; texts in other scripts always count.
 */
export const mayTellOfUser = (typed: string): boolean =>
  typed.trim().length >= MIN_LENGTH && (!LATIN.test(typed) || CUES.test(typed));
