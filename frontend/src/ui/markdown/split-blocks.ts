import { freshScanner, type ScannerState, scanLine } from './block-scanner.ts';

/** The text cut into top-level blocks, with \n as line ending and without the blank space between blocks. */
export interface SplitText {
  readonly blocks: readonly string[];
  /** The last block is a code fence that has not been closed. */
  readonly openFence: boolean;
  /** Link or footnote definitions were met: only a parse of the whole text renders them. */
  readonly references: boolean;
  /** Where the next call goes on: everything before the last line's start is settled. */
  readonly settled: Settled;
}

interface Settled {
  readonly text: string;
  readonly blocks: readonly string[];
  readonly blockStart: number;
  readonly lineStart: number;
  readonly scanner: ScannerState;
}

const nothing: Settled = {
  text: '',
  blocks: [],
  blockStart: 0,
  lineStart: 0,
  scanner: freshScanner,
};

/**
 * Cuts `text` into blocks that can be parsed one by one. When `text` goes on from the text of `previous`, only the
 * lines that are new are read, and blocks that are settled keep their identity; the result is the same as without
 * `previous`, always.
 */
export function splitBlocks(previous: SplitText | undefined, text: string): SplitText {
  const normal = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  const from = previous && normal.startsWith(previous.settled.text) ? previous.settled : nothing;
  const settled = settleLines(from, normal);
  return withLastLine(settled);
}

/** A `splitBlocks` that remembers its last result. */
export function createSplitter(): (text: string) => SplitText {
  let last: SplitText | undefined;
  return (text) => {
    last = splitBlocks(last, text);
    return last;
  };
}

function settleLines(from: Settled, text: string): Settled {
  let { blockStart, lineStart, scanner } = from;
  const blocks = [...from.blocks];
  for (let end = text.indexOf('\n', lineStart); end !== -1; end = text.indexOf('\n', lineStart)) {
    const scanned = scanLine(scanner, text.slice(lineStart, end));
    if (scanned.boundary && lineStart > blockStart) {
      addBlock(blocks, text.slice(blockStart, lineStart));
      blockStart = lineStart;
    }
    scanner = scanned.state;
    lineStart = end + 1;
  }
  return { text, blocks, blockStart, lineStart, scanner };
}

/** The last line may still grow, so its verdict is used for this result and not kept. */
function withLastLine(settled: Settled): SplitText {
  const { text, blockStart, lineStart } = settled;
  const last = text.slice(lineStart);
  const { boundary, state } =
    last === '' ? { boundary: false, state: settled.scanner } : scanLine(settled.scanner, last);
  const openFence = state.fence !== undefined;
  const tailStart = boundary ? lineStart : blockStart;
  const blocks = [...settled.blocks];
  addBlock(blocks, text.slice(blockStart, tailStart));
  if (openFence) blocks.push(text.slice(tailStart));
  else addBlock(blocks, text.slice(tailStart));
  return { blocks, openFence, references: state.references, settled };
}

/** Blank space after a block means nothing; without it a block is the same before and after its end is known. */
function addBlock(blocks: string[], block: string): void {
  const trimmed = block.trimEnd();
  if (trimmed !== '') blocks.push(trimmed);
}
