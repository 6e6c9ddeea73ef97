import { sentencesOf } from './sentences.ts';

/** A range of a text, in UTF-16 code units; `end` is exclusive. */
interface Range {
  start: number;
  end: number;
}

/** Longer paragraphs count as pasted. */
export const MAX_TYPED_PARAGRAPH = 500;

const QUOTED = /^[ \t]*>/;

/**
 * The text of a user's message that a reply can be compared with, at its places in the message; the rest is blank. It is pasted or quoted
 * text: quoted lines, long paragraphs, and pastes that the composer reported. Typed text is no source: no rule can decide in every language
 * whether a typed sentence states something or asks for it.
 * @returns null when it has no statement
 */
export function materialOf(content: string, pastes: readonly Range[] = []): string | null {
  const material = only(content, [...pastes, ...paragraphsOf(content).flatMap(quotedIn)]);
  return sentencesOf(material).length > 0 ? material : null;
}

interface Line extends Range {
  text: string;
}

/** Groups of lines, separated by empty lines. */
function paragraphsOf(content: string): Line[][] {
  const paragraphs: Line[][] = [[]];
  let start = 0;
  for (const text of content.split('\n')) {
    const end = start + text.length;
    if (text.trim() === '') paragraphs.push([]);
    else paragraphs.at(-1)?.push({ start, end, text });
    start = end + 1;
  }
  return paragraphs;
}

function quotedIn(paragraph: readonly Line[]): readonly Range[] {
  const length = paragraph.reduce((sum, { text }) => sum + text.length, 0);
  return length > MAX_TYPED_PARAGRAPH
    ? paragraph
    : paragraph.filter(({ text }) => QUOTED.test(text));
}

/** The text with blanks outside the ranges, so that places stay the same. */
function only(content: string, ranges: readonly Range[]): string {
  let text = '';
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    if (end <= text.length) continue;
    const from = Math.max(start, text.length);
    text += blank(content.slice(text.length, from)) + content.slice(from, end);
  }
  return text + blank(content.slice(text.length));
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');
