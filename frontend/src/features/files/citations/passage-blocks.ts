/** A section of a passage: a paragraph, or the rows of a table. */
export type PassageBlock = { text: string } | { rows: string[][] };

const LIST_ITEM = /^(?:[-*•–]|\d{1,3}[.)])\s/;
const NUMBER = /^[-+−(]?[€$£]?\d[\d.,'’]*[%€$£)]*$/;

/** The text of a passage, without the line ends of its page: lines of prose are joined, and rows of a table have cells. */
export function passageBlocks(passage: string): PassageBlock[] {
  const blocks: PassageBlock[] = [];
  const lines = passage.split(/\r?\n/).map((line) => line.trimEnd());
  for (let at = 0; at < lines.length; ) {
    const rows = rowsFrom(lines, at);
    if (rows.length > 1) {
      blocks.push({ rows });
      at += rows.length;
    } else {
      addLine(blocks, { line: lines[at] ?? '', isAfterBlank: at > 0 && lines[at - 1] === '' });
      at += 1;
    }
  }
  return blocks;
}

/** The rows of the table that begins in a line: at least two, with as many cells each. */
function rowsFrom(lines: readonly string[], at: number): string[][] {
  const rows: string[][] = [];
  for (const line of lines.slice(at)) {
    const cells = cellsOf(line);
    if (cells.length < 2 || cells.length !== (rows[0] ?? cells).length) break;
    rows.push(cells);
  }
  return rows;
}

/** The cells of a line: between tabs, or wide spaces, or a name and the numbers behind it, as a PDF has them. */
function cellsOf(line: string): string[] {
  const text = line.trim();
  const parted = text.split(/\t| {2,}/).map((cell) => cell.trim());
  if (parted.length > 1) return parted;
  const words = text.split(' ');
  const firstNumber = words.findLastIndex((word) => !NUMBER.test(word)) + 1;
  const numbers = words.slice(firstNumber);
  return numbers.length > 1 ? [words.slice(0, firstNumber).join(' '), ...numbers] : [text];
}

interface Line {
  line: string;
  isAfterBlank: boolean;
}

function addLine(blocks: PassageBlock[], { line, isAfterBlank }: Line): void {
  const text = line.trim();
  if (text === '') return;
  const last = blocks.at(-1);
  if (!last || !('text' in last) || isAfterBlank || LIST_ITEM.test(text)) blocks.push({ text });
  // A hyphen at the end of a line belongs to its word.
  else last.text += /\p{L}-$/u.test(last.text) ? text : ` ${text}`;
}
