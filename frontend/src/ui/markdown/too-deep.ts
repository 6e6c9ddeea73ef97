/** In UTF-16 code units: parsing and drawing a longer text in one piece takes seconds. */
const MAX_LENGTH = 100_000;

/** No author nests deeper on purpose, and parsing takes the square of the depth, or overflows the stack. */
const MAX_DEPTH = 100;

/** A quote, a footnote or an item, which may hold another one on the same line. */
const CONTAINER = /[ \t]*(?:>|\[\^[^\s[\]]{1,99}\]:|(?:[-*+]|\d{1,9}[.)])[ \t])/y;
const INDENTED = /^[ \t]{200}\S/m;
const SIGNS = /[*_]{200}/;

/** What opens or closes emphasis, labels and pictures, may hide what closes them, or ends all of them: a blank line, an item. */
const MARKS =
  /[*_~]+|\](?=(?<address>\([^()\s]*\))?)|[[`<\\]|\n[ \t]*\n|\n {0,3}[-*+][ \t]+(?=\S)/g;
/**
 * Brackets that close none: for each of them the reader of footnotes goes through all that is above it in its paragraph.
 * A table of intervals, `(7, 8]`, has as many as rows.
 */
const MAX_LOOSE = 1_000;
/** Marks above such brackets, summed over them: about a second. */
const MAX_ABOVE = 4_000_000;
/** Runs of signs of emphasis that are open at the same time. */
const MAX_RUNS = 2 * MAX_DEPTH;

/** Whether a text is shown as it is, because to parse it takes too long. */
export const isTooLarge = (text: string): boolean => text.length > MAX_LENGTH || isTooDeep(text);

/** Whether containers, emphasis or brackets of a Markdown text are nested deeper than `MAX_DEPTH`, or more than `MAX_LOOSE` brackets close none. */
export function isTooDeep(text: string): boolean {
  if (INDENTED.test(text) || SIGNS.test(text)) return true;
  return text.split('\n').some((line) => containersOf(line) > MAX_DEPTH) || hasDeepMarks(text);
}

function hasDeepMarks(text: string): boolean {
  let runs: string[] = [];
  let brackets = 0;
  /** As `brackets`, but whatever looks as if it closed one does. */
  let closable = 0;
  let loose = 0;
  let marks = 0;
  let above = 0;
  /** Code, HTML, an escape or the address of a link may hold what looks as if it closed something. */
  let mayHide = false;
  let addressEnd = 0;
  for (const { 0: mark, index, groups } of text.matchAll(MARKS)) {
    marks += 1;
    const isHidden = mayHide || index < addressEnd;
    const [before = ' ', after = ' '] = [text[index - 1], text[index + mark.length]];
    if (mark.startsWith('\n'))
      [runs, brackets, closable, loose, marks, mayHide] = [[], 0, 0, 0, 0, false];
    else if (/[`<\\]/.test(mark)) mayHide = true;
    else if (mark === '[') {
      brackets += 1;
      closable += 1;
    } else if (mark === ']') {
      if (closable > 0) closable -= 1;
      else {
        loose += 1;
        above += marks;
      }
      if (!isHidden) brackets = Math.max(0, brackets - 1);
      const address = groups?.['address'];
      if (address) addressEnd = Math.max(addressEnd, index + 1 + address.length);
      else mayHide ||= after === '(';
    } else {
      // A run may close another one of its length; which of other lengths it closes depends on what is around both.
      const open = isHidden || /\s/.test(before) ? -1 : runs.lastIndexOf(mark);
      if (open !== -1) runs.length = open;
      else if (/\S/.test(after)) runs.push(mark);
    }
    if (
      brackets > MAX_DEPTH ||
      loose > MAX_LOOSE ||
      above > MAX_ABOVE ||
      runs.length > MAX_RUNS ||
      runs.join('').length > 2 * MAX_RUNS
    )
      return true;
  }
  return false;
}

/** How many containers a line begins with. */
function containersOf(line: string): number {
  let count = 0;
  CONTAINER.lastIndex = 0;
  while (CONTAINER.test(line)) count += 1;
  return count;
}
