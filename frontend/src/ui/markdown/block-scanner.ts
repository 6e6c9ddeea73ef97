/**
 * Finds where one top-level markdown block certainly ends and the next begins, one line at a time.
 * It never guesses: where it cannot tell, it reports no boundary, and the parser gets a longer block.
 * Rules: CommonMark 0.31 (sections 4.5 fences, 4.6 HTML, 5.2 list items), GFM footnotes.
 */
export interface ScannerState {
  /** The fence that is open at the top level, which ends only at a line of at least `size` marks. */
  readonly fence?: { readonly mark: string; readonly size: number } | undefined;
  /** An HTML block is open: until this pattern is met, or until a blank line (`blank`). */
  readonly html?: RegExp | 'blank' | undefined;
  /**
   * A list is open; text indented by `offset` columns or more belongs to its last item. `doubtful`: whether the line
   * that looks like an item is one depends on what it interrupts.
   */
  readonly list?: { readonly offset: number; readonly doubtful: boolean } | undefined;
  readonly afterBlank: boolean;
  /** The line before this one closed a fence. */
  readonly afterFence: boolean;
  /** A definition was met that applies across blocks; separate blocks cannot be exact. */
  readonly references: boolean;
  /** A fence stands in text that may or may not be HTML or a list: the rest cannot be decided. */
  readonly lost: boolean;
}

export const freshScanner: ScannerState = {
  afterBlank: true,
  afterFence: false,
  references: false,
  lost: false,
};

export interface ScannedLine {
  /** True when a new top-level block begins with this line. */
  readonly boundary: boolean;
  readonly state: ScannerState;
}

const FENCE = /^ {0,3}(?:(`{3,})[^`]*|(~{3,})(?!~).*)$/;
const LIST_ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:( +)(?=\S)| *$)/;
const OTHER_BLOCK = /^ {0,3}(?:>|#{1,6}(?: |$))/;
const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;
// Every link and footnote definition has this on one line; a false alarm costs time, not correctness.
const DEFINITION = /\]:/;
const HTML_STARTS: ReadonlyArray<readonly [start: RegExp, end: RegExp | 'blank']> = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![a-z]/i, />/],
  [/^ {0,3}<\/?[a-z]/i, 'blank'],
];

/** Takes the next line (without its line ending) and says whether a block begins with it. */
export function scanLine(before: ScannerState, rawLine: string): ScannedLine {
  const line = expandTabs(rawLine);
  if (before.fence) return inFence(before, before.fence, line);
  if (before.html instanceof RegExp) return inHtml(before, before.html, line);
  if (/^ *$/.test(line)) return blank(before);

  const state = { ...before, references: before.references || DEFINITION.test(line) };
  const indent = line.search(/[^ ]/);
  const fence = FENCE.exec(line)?.slice(1).find(Boolean);
  if (fence && indent > 0 && state.list?.doubtful) return lose(state);
  if (state.list && indent >= state.list.offset) return plain(state);
  if (fence) return openFence(state, fence);

  const item = RULE.test(line) ? null : LIST_ITEM.exec(line);
  const boundary = state.afterFence || (indent === 0 && state.afterBlank && !(state.list && item));
  const list = item ? listOf(item, state) : listAfter(state, line);
  return { boundary: boundary && !state.lost, state: withHtml({ ...settle(state), list }, line) };
}

function listAfter(state: ScannerState, line: string): ScannerState['list'] {
  const ended = state.afterBlank || state.afterFence || OTHER_BLOCK.test(line) || RULE.test(line);
  // A line that stands further left goes on with the item's paragraph, or ends the list.
  return ended || !state.list ? undefined : { ...state.list, doubtful: true };
}

function settle(state: ScannerState): ScannerState {
  return { ...state, afterBlank: false, afterFence: false };
}

function plain(state: ScannerState): ScannedLine {
  return { boundary: false, state: settle(state) };
}

function lose(state: ScannerState): ScannedLine {
  return plain({ ...state, lost: true });
}

function blank(state: ScannerState): ScannedLine {
  return { boundary: false, state: { ...state, html: undefined, afterBlank: true } };
}

function inFence(
  state: ScannerState,
  fence: { mark: string; size: number },
  line: string,
): ScannedLine {
  const closing = /^ {0,3}(`+|~+) *$/.exec(line)?.[1];
  if (!closing?.startsWith(fence.mark) || closing.length < fence.size) return plain(state);
  return {
    boundary: false,
    state: { ...settle(state), fence: undefined, list: undefined, afterFence: true },
  };
}

function inHtml(state: ScannerState, end: RegExp, line: string): ScannedLine {
  return { boundary: false, state: { ...settle(state), html: end.test(line) ? undefined : end } };
}

function openFence(state: ScannerState, marks: string): ScannedLine {
  if (state.html) return lose(state);
  const fence = { mark: marks.charAt(0), size: marks.length };
  return {
    boundary: !state.lost,
    state: { ...settle(state), list: undefined, fence },
  };
}

function listOf([, indent = '', marker = '', spaces]: RegExpExecArray, state: ScannerState) {
  const width = indent.length + marker.length;
  // More than four spaces after the marker are one space and an indented code block.
  const gap = spaces === undefined || spaces.length > 4 ? 1 : spaces.length;
  const mayInterrupt = spaces !== undefined && /^(?:[-*+]|1[.)])$/.test(marker);
  const certain = state.afterBlank || state.afterFence;
  const sure = !state.html && (state.list ? !state.list.doubtful : mayInterrupt);
  return { offset: width + gap, doubtful: !certain && !sure };
}

function withHtml(state: ScannerState, line: string): ScannerState {
  const end = HTML_STARTS.find(([start]) => start.test(line))?.[1];
  if (!end || (state.html && end === 'blank')) return state;
  // Whether the earlier tag began HTML or stands in a paragraph decides whether this one counts.
  if (state.html) return { ...state, lost: true };
  return { ...state, html: end !== 'blank' && end.test(line) ? undefined : end };
}

function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let out = '';
  for (const char of line) {
    out += char === '\t' ? ' '.repeat(4 - (out.length % 4)) : char;
  }
  return out;
}
