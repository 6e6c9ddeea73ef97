/** Collects the paragraphs and tables of a text as HTML. */
export interface Blocks {
  add: (text: string) => void;
  /** Ends a paragraph; within a table, a line of its cell. `level` of a heading is from 1, 0 of other text. */
  endParagraph: (place: { level: number; isInTable: boolean }) => void;
  endCell: () => void;
  endRow: () => void;
  html: () => string;
}

/** The sign of a list's item, as it is stored in the text. */
const BULLET = /^[·•▪●○o§\uf0b7\uf0a7]\t/;

export function createBlocks(): Blocks {
  const parts: string[] = [];
  let rows: string[] = [];
  let cells: string[] = [];
  let lines: string[] = [];
  let text: string[] = [];

  const takeText = () => {
    const taken = text.join('').replace(BULLET, '- ').trim();
    text = [];
    return taken.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
  };
  const endTable = () => {
    if (rows.length > 0) parts.push(`<table>${rows.join('')}</table>`);
    rows = [];
  };
  const endRow = () => {
    if (cells.length > 0) rows.push(`<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
    cells = [];
  };
  const endParagraph: Blocks['endParagraph'] = ({ level, isInTable }) => {
    const content = escape(takeText());
    if (isInTable) {
      lines.push(content);
      return;
    }
    endTable();
    const tag = level > 0 ? `h${Math.min(level, 6)}` : 'p';
    if (content !== '') parts.push(`<${tag}>${content}</${tag}>`);
  };
  return {
    add: (more) => text.push(more),
    endParagraph,
    endCell: () => {
      cells.push([...lines, escape(takeText())].join(' ').trim());
      lines = [];
    },
    endRow,
    html: () => {
      // A table may end with the text.
      if (lines.length > 0 || cells.length > 0) cells.push(lines.join(' '));
      endRow();
      endParagraph({ level: 0, isInTable: false });
      return parts.join('\n');
    },
  };
}

const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\n', '<br>');
