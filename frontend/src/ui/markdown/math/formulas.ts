/** Longer ones are text. It bounds the search for the end of each. */
const MAX_FORMULA = 2_000;
/** Formulas are not looked for in longer blocks. */
const MAX_BLOCK = 20_000;
const BODY = `(?:(?!\\n[ \\t]*\\n)[^]){1,${MAX_FORMULA}}?`;

/**
 * What may hold or be a formula, in the order of precedence. Code and escaped characters come first and stay as they are.
 * A single dollar opens one only where neither a word nor a space touches it inside out, so that prices stay prices
 * (Pandoc, 'Extension: tex_math_dollars').
 */
const SPANS = new RegExp(
  [
    // Each length is left open once at most: what follows is searched for its end 32 times, not once for each sign.
    '(?<code>(?<![`])(?<marks>`{1,32}(?!`)|(?<!~)~{3,32}(?!~))[^]*?(?<!`)\\k<marks>(?!`))',
    `\\\\\\[(?<bracketed>${BODY})\\\\\\]`,
    `\\\\\\((?<parenthesised>${BODY})\\\\\\)`,
    '(?<escaped>\\\\[^])',
    `\\$\\$(?!\\$)(?<display>${BODY})\\$\\$(?!\\$)`,
    '(?<![\\w$])\\$(?![\\s$])(?<inline>(?:\\\\[^\\n]|[^$\\\\\\n]){1,300}?)(?<!\\s)\\$(?![\\w$])',
    '(?<dollars>\\${2,})',
  ].join('|'),
  'g',
);

/** `5 for one and 10` between two dollars is an amount of money. */
const AMOUNT = /^\d[\d.,]*(?:[kKmMbB]\b)?(?:\s|[-–—/]\w)(?!.*[\\^_={}+<>])/;

interface Groups {
  code?: string;
  bracketed?: string;
  parenthesised?: string;
  escaped?: string;
  display?: string;
  inline?: string;
  dollars?: string;
}

interface Line {
  start: number;
  /** Its indent with the marks of the quotes that it stands in. */
  prefix: string;
  /** Whether it may be a row of a table, whose cells end at each `|` that is not escaped. */
  isRow: boolean;
}

function lineAt(text: string, start: number): Line {
  const prefix = /^[ \t>]*/.exec(text.slice(start))?.[0] ?? '';
  return { start, prefix, isRow: text[start + prefix.length] === '|' };
}

/** Finds the line of an offset; offsets ascend from call to call, so that each character is read once. */
function lineFinder(text: string): (offset: number) => Line {
  let line = lineAt(text, 0);
  let read = 0;
  return (offset) => {
    const newline = text.slice(read, offset).lastIndexOf('\n');
    if (newline !== -1) line = lineAt(text, read + newline + 1);
    read = offset;
    return line;
  };
}

function isFormula({ bracketed, parenthesised, display, inline }: Groups, line: Line): boolean {
  const body = bracketed ?? parenthesised ?? display ?? inline;
  if (body === undefined || body.trim() === '') return false;
  if (inline !== undefined && AMOUNT.test(inline)) return false;
  return !(line.isRow && endsCell(display ?? inline ?? ''));
}

/**
 * Whether cells end between two dollars: at a `|` in no brackets that stands between spaces (`| Fee ($) | Price ($) |`),
 * at one end without a partner (`|Fee/$|Price/$|`) or beside signs only (`|$|€|$|`). TeX has `|0\rangle`.
 */
function endsCell(body: string): boolean {
  let depth = 0;
  let bars = 0;
  for (const { 0: sign, index } of body.matchAll(/\\?[()[\]{}]|\\[^]|\|/g)) {
    if (/[([{]$/.test(sign)) depth += 1;
    else if (/[)\]}]$/.test(sign)) depth -= 1;
    else if (sign === '|' && depth < 0) return true;
    else if (sign === '|' && depth === 0) {
      if (/^\s\|\s$/.test(body.slice(index - 1, index + 2))) return true;
      bars += 1;
    }
  }
  if (body.includes('\\')) return false;
  if (!/[\p{L}\d]/u.test(body)) return bars > 0;
  return bars % 2 === 1 && body.startsWith('|') !== body.endsWith('|');
}

/** Whether the text holds a formula that is complete: `$…$`, `$$…$$`, `\(…\)` or `\[…\]`. */
export function hasFormula(text: string): boolean {
  if (text.length > MAX_BLOCK || !/[$]|\\[([]/.test(text) || /^(?: {4}|\t)/.test(text))
    return false;
  const lineOf = lineFinder(text);
  for (const { groups, index } of text.matchAll(SPANS))
    if (isFormula(groups ?? {}, lineOf(index))) return true;
  return false;
}

/**
 * Writes formulas in the one way that remark-math reads here, `$$…$$`, and what is none so that it reads as text.
 * A formula with lines of its own becomes a block of its own.
 */
export function withMarkedFormulas(text: string): string {
  const lineOf = lineFinder(text);
  return text.replace(SPANS, (whole, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Groups;
    const offset = rest.at(-3) as number;
    const line = lineOf(offset);
    if (groups.dollars) return groups.dollars.replaceAll('$', '\\$');
    if (!isFormula(groups, line)) return whole;
    const { parenthesised, inline, bracketed, display = '' } = groups;
    const body = parenthesised ?? inline;
    if (body !== undefined) return inText(withoutMarks(body, line), line);
    const source = withoutMarks(bracketed ?? display, line).trim();
    const endsLine = /^[ \t]*(?:\n|$)/.test(text.slice(offset + whole.length));
    const { start, prefix } = line;
    if (start + prefix.length < offset || !endsLine) return inText(source, line);
    const lines = source.split('\n').map((one) => `${prefix}${one.trimStart()}`);
    return ['$$', ...lines, `${prefix}$$`].join('\n');
  });
}

/** A body of several lines without the marks of the quotes that its lines begin with, as the first one does. */
const withoutMarks = (body: string, { prefix }: Line): string =>
  body.replaceAll(`\n${prefix.trimEnd()}`, '\n');

function inText(source: string, { isRow }: Line): string {
  const body = isRow
    ? source.replaceAll(/\\[^]|\|/g, (sign) => (sign === '|' ? '\\vert ' : sign))
    : source;
  return `$$${body.replaceAll('\n', ' ')}$$`;
}
