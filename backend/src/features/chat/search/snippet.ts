import { findWords } from '../../../search/index.ts';
import { oneLine, plainText } from './plain-text.ts';

/** UTF-16 code units of a snippet, and of those the ones before the first word found. */
const LENGTH = 160;
const BEFORE = 50;
/** A longer cluster of characters than this is cut. */
const LONGEST_CLUSTER = 64;

export interface Snippet {
  snippet: string;
  /** UTF-16 code units in the snippet; `end` is exclusive. */
  matches: { start: number; end: number }[];
}

/** The text of a message around the first of the words, on one line. Words that stand only in Markdown's syntax are shown there. */
export function snippetOf(content: string, words: readonly string[]): Snippet {
  const plain = plainText(content);
  return (
    around(plain, words) ?? around(oneLine(content), words) ?? cutAt(plain, { from: 0, words })
  );
}

function around(text: string, words: readonly string[]): Snippet | null {
  const [first] = findWords(text, words);
  return first ? cutAt(text, { from: Math.max(0, first.start - BEFORE), words }) : null;
}

function cutAt(text: string, { from, words }: { from: number; words: readonly string[] }): Snippet {
  const start = beginAt(text, from);
  const end = boundary(text, Math.min(start + LENGTH, text.length));
  const [before, after] = [start > 0 ? '…' : '', end < text.length ? '…' : ''];
  const shown = text.slice(start, end);
  const matches = [...findWords(shown, words)].map((found) => ({
    start: before.length + found.start,
    end: before.length + found.end,
  }));
  return { snippet: before + shown + after, matches };
}

/** The next beginning of a word, when one is near. */
function beginAt(text: string, from: number): number {
  if (from === 0) return 0;
  const space = text.indexOf(' ', from);
  return space >= 0 && space - from < BEFORE / 2 ? space + 1 : boundary(text, from);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The last place up to `at` where no character, with its marks, is cut. */
function boundary(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const from = Math.max(0, at - LONGEST_CLUSTER);
  const cluster = segmenter.segment(text.slice(from, at + LONGEST_CLUSTER)).containing(at - from);
  return from + (cluster?.index ?? at - from);
}
