export interface Fence {
  /** First word of the info string, such as `ts`; empty when there is none. */
  readonly language: string;
  readonly code: string;
  /** The closing fence is there. */
  readonly closed: boolean;
}

/**
 * Reads a block that is one code fence, closed or still open; undefined for every other block. The splitter gives a
 * top-level fence a block of its own, so a block that begins with one holds nothing else (CommonMark 0.31, 4.5).
 */
export function readFence(block: string): Fence | undefined {
  const [first = '', ...lines] = block.split('\n');
  const opening = /^( {0,3})(?:(`{3,})([^`]*)|(~{3,})(?!~)(.*))$/.exec(first);
  if (!opening) return undefined;
  const [, indent = '', ticks, afterTicks, tildes, afterTildes] = opening;
  const marks = ticks ?? tildes ?? '';
  // The last line is the closing fence, or what follows the line ending of code that still grows.
  const last = lines.at(-1) ?? '';
  const closed = closes(last, marks);
  if (last === '' || closed) lines.pop();
  const indentation = new RegExp(`^ {0,${indent.length}}`);
  const code = lines.map((line) => line.replace(indentation, '')).join('\n');
  const language = (afterTicks ?? afterTildes ?? '').trim().split(/\s/, 1)[0] ?? '';
  return { language, code, closed };
}

/** Whether a line ends the fence that these marks have opened. */
export function closes(line: string, marks: string): boolean {
  return /^ {0,3}(`+|~+)[ \t]*$/.exec(line)?.[1]?.startsWith(marks) ?? false;
}
