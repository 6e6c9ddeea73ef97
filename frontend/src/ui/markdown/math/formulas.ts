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

const isFormula = ({ bracketed, parenthesised, display, inline }: Groups): boolean => {
  const body = bracketed ?? parenthesised ?? display ?? inline;
  return body !== undefined && body.trim() !== '' && !(inline !== undefined && AMOUNT.test(inline));
};

/** Whether the text holds a formula that is complete: `$…$`, `$$…$$`, `\(…\)` or `\[…\]`. */
export function hasFormula(text: string): boolean {
  if (text.length > MAX_BLOCK || !/[$]|\\[([]/.test(text) || /^(?: {4}|\t)/.test(text))
    return false;
  for (const { groups } of text.matchAll(SPANS)) if (isFormula(groups ?? {})) return true;
  return false;
}

/**
 * Writes formulas in the one way that remark-math reads here, `$$…$$`, and what is none so that it reads as text.
 * A formula with lines of its own becomes a block of its own.
 */
export function withMarkedFormulas(text: string): string {
  return text.replace(SPANS, (whole, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Groups;
    if (groups.dollars) return groups.dollars.replaceAll('$', '\\$');
    if (!isFormula(groups)) return whole;
    const offset = rest.at(-3) as number;
    const { parenthesised, inline, bracketed, display = '' } = groups;
    const body = parenthesised ?? inline;
    if (body !== undefined) return `$$${body.replaceAll('\n', ' ')}$$`;
    const indent = /^[ \t]*$/.exec(text.slice(text.lastIndexOf('\n', offset) + 1, offset))?.[0];
    const endsLine = /^[ \t]*(?:\n|$)/.test(text.slice(offset + whole.length));
    const source = (bracketed ?? display).trim();
    if (indent === undefined || !endsLine) return `$$${source.replaceAll('\n', ' ')}$$`;
    const lines = source.split('\n').map((line) => `${indent}${line.trimStart()}`);
    return ['$$', ...lines, `${indent}$$`].join('\n');
  });
}
