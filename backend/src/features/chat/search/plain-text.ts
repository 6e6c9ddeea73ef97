/** What Markdown writes beside its text, at the beginning of a line and within it. */
const SYNTAX: readonly (readonly [RegExp, string])[] = [
  [/^[ \t]*(?:`{3,}|~{3,}).*$/gm, ' '],
  [/^(?=.*---)[ \t:|-]+$/gm, ' '],
  [/^[ \t]*(?:#{1,6}|>+|[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/gm, ''],
  [/!?\[([^[\]\n]*)\]\([^()\s]*(?:[ \t]+"[^"\n]*")?\)/g, '$1'],
  [/(\*\*|__|~~)(?=\S)([^\n]*?\S)\1/g, '$2'],
  [/(?<![\p{L}\p{N}*_])([*_])(?=\S)([^\n*_]*?[^\s*_])\1(?![\p{L}\p{N}*_])/gu, '$2'],
  [/`([^`\n]+)`/g, '$1'],
  [/\|/g, ' '],
];

/** A short text on one line, without the marks of Markdown that are easily told from text. */
export const plainText = (markdown: string): string =>
  oneLine(SYNTAX.reduce((text, [mark, kept]) => text.replace(mark, kept), markdown));

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
