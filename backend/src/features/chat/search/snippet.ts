import { findWords } from '../../../search/index.ts';

/** UTF-16 code units of a snippet, and the number of them before the first match. */
const LENGTH = 160;
const BEFORE = 50;
/** A longer cluster of characters than this is cut. */
const MAX_CLUSTER_LENGTH = 64;

export interface Snippet {
  snippet: string;
  /** UTF-16 code units in the snippet; `end` is exclusive. */
  matches: { start: number; end: number }[];
}

/** UTF-16 code units before and after a word that are read without Markdown's syntax. */
const READ = 2_000;

/** The text around the first match, on one line. Words that occur only in Markdown's syntax are shown there. */
export function snippetOf(content: string, words: readonly string[]): Snippet {
  let inSyntax: Snippet | null = null;
  let readTo = 0;
  for (const { start } of findWords(content, words)) {
    if (start < readTo) continue;
    const part = partAt(content, start);
    readTo = part.end;
    const found = around({ ...part, text: plainText(part.text) }, words);
    if (found) return found;
    inSyntax ??= around({ ...part, text: oneLine(part.text) }, words);
  }
  if (inSyntax) return inSyntax;
  const beginning = partAt(content, 0);
  return cutAt({ ...beginning, text: plainText(beginning.text) }, { from: 0, words });
}

/** A part of a message. */
interface Part {
  text: string;
  end: number;
  isFirst: boolean;
  isLast: boolean;
}

/** The lines around a place, as far as they are near. */
function partAt(content: string, at: number): Part {
  const [from, to] = [boundary(content, Math.max(0, at - READ)), boundary(content, at + READ)];
  const lineStart = from === 0 ? 0 : content.slice(from, at).indexOf('\n') + 1;
  const lineEnd = to === content.length ? -1 : content.slice(at, to).lastIndexOf('\n');
  const [start, end] = [from + lineStart, lineEnd === -1 ? to : at + lineEnd];
  const isLast = end === content.length;
  return { text: content.slice(start, end), end, isFirst: start === 0, isLast };
}

function around(part: Part, words: readonly string[]): Snippet | null {
  const [first] = findWords(part.text, words);
  return first ? cutAt(part, { from: Math.max(0, first.start - BEFORE), words }) : null;
}

function cutAt(
  { text, isFirst, isLast }: Part,
  { from, words }: { from: number; words: readonly string[] },
): Snippet {
  const start = beginAt(text, from);
  const end = boundary(text, Math.min(start + LENGTH, text.length));
  const before = isFirst && start === 0 ? '' : '…';
  const after = isLast && end === text.length ? '' : '…';
  const shown = text.slice(start, end);
  const matches = [...findWords(shown, words)].map((found) => ({
    start: before.length + found.start,
    end: before.length + found.end,
  }));
  return { snippet: before + shown + after, matches };
}

/** The next beginning of a word, if one is near. */
function beginAt(text: string, from: number): number {
  if (from === 0) return 0;
  const space = text.indexOf(' ', from);
  return space >= 0 && space - from < BEFORE / 2 ? space + 1 : boundary(text, from);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The last place up to `at` that cuts no character with its marks. */
function boundary(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const from = Math.max(0, at - MAX_CLUSTER_LENGTH);
  const cluster = segmenter
    .segment(text.slice(from, at + MAX_CLUSTER_LENGTH))
    .containing(at - from);
  return from + (cluster?.index ?? at - from);
}

/** Markdown's syntax, at the beginning of a line and within it. */
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

/** A short text on one line, without the marks of Markdown that can be distinguished from text. */
const plainText = (markdown: string): string =>
  oneLine(SYNTAX.reduce((text, [mark, kept]) => text.replace(mark, kept), markdown));

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
