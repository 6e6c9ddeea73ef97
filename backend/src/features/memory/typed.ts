/** A range of a text, in UTF-16 code units; `end` is exclusive. */
export interface Range {
  start: number;
  end: number;
}

/** Longer paragraphs are taken for pasted ones, as are longer pieces that the composer saw being pasted. */
export const MAX_PASTE_LENGTH = 500;

/**
 * What of a message the user typed: everything but code blocks, quoted lines, paragraphs longer than 500 characters, and what the
 * composer saw being pasted. Texts of others arrive in these forms, and nothing is remembered of them.
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

/** The text in the ranges, with a mark where something was left out. */
export const textIn = (content: string, ranges: readonly Range[]): string =>
  ranges
    .map(({ start, end }) => content.slice(start, end).trim())
    .filter(Boolean)
    .join('\n[…]\n');

/** Where `quote` stands as a whole in one of the ranges, letter for letter. */
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

/** Lines that follow each other are one range. */
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

/** Words with which users speak of themselves or ask to remember something, in the languages that the interface is used in most. */
const CUES =
  /(?<![\p{L}])(?:i|i['’]m|i['’]ve|my|mine|me|we|our|remember|forget|note that|always|never|from now on|immer|niemals|ab jetzt|ich|mein\p{L}*|mir|mich|wir|unser\p{L}*|merk\p{L}*|vergiss|je|j['’]|mon|ma|mes|nous|notre|souviens|yo|soy|mi|mis|me|nuestro|recuerda|io|sono|mio|mia|ricorda|eu|sou|meu|minha|lembre|ik|ben|mijn|onthoud)(?![\p{L}])/iu;
const LATIN = /^[\P{L}\p{Script=Latin}]*$/u;
const MIN_LENGTH = 8;

/**
 * Whether a text may say something about its user. Most messages do not, and cost no call then. Spanish and other languages leave
 * pronouns out, so that some are missed; other scripts are never judged here.
 */
export const mayTellOfUser = (typed: string): boolean =>
  typed.trim().length >= MIN_LENGTH && (!LATIN.test(typed) || CUES.test(typed));
