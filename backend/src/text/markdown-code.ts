/** Maximum length of inline code, in code units; it ends on its line. */
const MAX_INLINE_LENGTH = 600;
/** Maximum length of a fenced block's first line. */
const MAX_INFO_LENGTH = 200;

/** The state of a Markdown reader: whether it is inside a fenced block, and at the beginning of a line. */
export interface CodeState {
  fence: { sign: string; length: number } | null;
  atLineStart: boolean;
}

export const initialCodeState = (): CodeState => ({ fence: null, atLineStart: true });

/**
 * The token at the beginning of a text: `length` code units that are code, or that look like code and are none; `more`: it depends on the
 * following text; null: neither.
 */
export type CodeToken = { type: 'code' | 'plain'; length: number } | 'more' | null;

/** White space, quote signs and list markers before a fence. */
const BEFORE_FENCE = String.raw`[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*`;
const FENCE = `^${BEFORE_FENCE}(?:(\`{3,})[^\`\\n]{0,${MAX_INFO_LENGTH}}|(~{3,})(?!~)[^\\n]{0,${MAX_INFO_LENGTH}})`;
const OPENING = new RegExp(`${FENCE}\\n`);
const OPENING_AT_END = new RegExp(`${FENCE}(?:\\n|$)`);
const MAY_OPEN = new RegExp(
  `^${BEFORE_FENCE}(?:[-*+]|\\d{1,9}[.)]?|\`{1,2}|~{1,2}|\`{3,}[^\`\\n]{0,${MAX_INFO_LENGTH}}|~{3,}(?!~)[^\\n]{0,${MAX_INFO_LENGTH}})?$`,
);
const CLOSING = /^[ \t>]*(`{3,}|~{3,})[ \t]*(?:\n|$)/;
const MAY_CLOSE = /^[ \t>]*(?:(?:`+|~+)[ \t]*)?$/;

function insideFence(text: string, state: CodeState, isEnd: boolean): CodeToken {
  if (state.atLineStart) {
    if (!isEnd && MAY_CLOSE.test(text)) return 'more';
    const [whole, signs = ''] = CLOSING.exec(text) ?? [];
    const { sign, length } = state.fence ?? { sign: '', length: 0 };
    if (whole !== undefined && signs.startsWith(sign) && signs.length >= length) {
      state.fence = null;
      return { type: 'code', length: whole.length };
    }
  }
  const lineEnd = text.indexOf('\n');
  return { type: 'code', length: lineEnd === -1 ? text.length : lineEnd + 1 };
}

function openingFence(text: string, state: CodeState, isEnd: boolean): CodeToken {
  if (!isEnd && MAY_OPEN.test(text)) return 'more';
  const [whole, backticks, tildes] = (isEnd ? OPENING_AT_END : OPENING).exec(text) ?? [];
  const signs = backticks ?? tildes;
  if (whole === undefined || signs === undefined) return null;
  state.fence = { sign: signs.charAt(0), length: signs.length };
  return { type: 'code', length: whole.length };
}

function inlineCode(text: string, isEnd: boolean): CodeToken {
  const signs = /^`+/.exec(text)?.[0] ?? '';
  if (signs === '') return null;
  if (signs.length === text.length && !isEnd) return 'more';
  const lineEnd = text.indexOf('\n');
  const line = text.slice(0, Math.min(lineEnd === -1 ? text.length : lineEnd, MAX_INLINE_LENGTH));
  for (const { 0: run, index } of line.slice(signs.length).matchAll(/`+/g)) {
    const end = signs.length + index + run.length;
    // More signs may follow.
    if (end === text.length && !isEnd) return 'more';
    if (run.length === signs.length) return { type: 'code', length: end };
  }
  if (line.length === text.length && text.length < MAX_INLINE_LENGTH && !isEnd) return 'more';
  return { type: 'plain', length: signs.length };
}

/**
 * Recognises code at the beginning of `text` and moves `state` past a fence. An answer other than `more` is the same for any longer text.
 */
export function codeAt(text: string, state: CodeState, isEnd: boolean): CodeToken {
  if (state.fence) return insideFence(text, state, isEnd);
  const fence = state.atLineStart ? openingFence(text, state, isEnd) : null;
  if (fence !== null) return fence;
  // An escaped sign starts no code.
  if (text.startsWith('\\')) {
    if (text.length === 1) return isEnd ? null : 'more';
    return /^\\[\\`]/.test(text) ? { type: 'plain', length: 2 } : null;
  }
  return inlineCode(text, isEnd);
}

/**
 * Reads a whole text.
 * @param plainLengthOf the number of code units of `rest`, which begins outside of code, to skip; 0: up to the next possible start of code
 * @returns the state at the end of the text
 */
export function readCode(text: string, plainLengthOf: (rest: string) => number): CodeState {
  const state = initialCodeState();
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at, at + WINDOW);
    const code = codeAt(rest, state, true);
    if (code === null || code === 'more') at += plainLengthOf(rest) || toNextSign(rest);
    else at += code.length;
    state.atLineStart = text.charAt(at - 1) === '\n';
  }
  return state;
}

/** Code units that are examined at once. */
const WINDOW = 4_096;

/** Up to the next possible start of code or a link. */
const toNextSign = (text: string): number => /^[^\n]?[^\n[`\\]*\n?/.exec(text)?.[0].length || 1;

/** The end of a fenced block that `text` leaves open; empty without one. */
export function closingFence(text: string): string {
  const { fence, atLineStart } = readCode(text, () => 0);
  return fence ? `${atLineStart ? '' : '\n'}${fence.sign.repeat(fence.length)}` : '';
}
