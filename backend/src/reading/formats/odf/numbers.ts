import type { Document, Element, ParentNode } from 'domhandler';
import { ownEntry } from '../../../text/own-entry.ts';
import { formatNumber } from '../list-numbers.ts';
import { childOf, elementsOf, isElement } from '../parts.ts';

// Numbers of lists and headings. OpenDocument stores the styles of lists and not their numbers (ODF 1.3, 16.30 and 19.880).

interface Level {
  format: string;
  prefix: string;
  suffix: string;
  start: number;
  /** How many levels the number shows. */
  shown: number;
}

type Levels = (Level | undefined)[];

const FORMATS: Record<string, string> = {
  '1': 'decimal',
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
};
/** Levels of a list. */
const MAX_LEVELS = 10;
/** The style of the numbers of headings. */
const OUTLINE = 'text:outline-style';

/** Counts the items of lists and the headings of a document, in order. */
export interface ListNumbers {
  /** Begins a list that does not belong to another one. */
  begin: (style: string) => void;
  /** The number of the next item, empty when its level has none. Levels count from 0. */
  next: (style: string, level: number, start?: number) => string;
  isNumbered: (style: string, level: number) => boolean;
  nextHeading: (level: number) => string;
}

export function createListNumbers(parts: Document[]): ListNumbers {
  const styles = new Map<string, Levels>();
  for (const style of parts.flatMap((part) => elementsOf(part, 'text:list-style')))
    styles.set(style.attribs['style:name'] ?? '', levelsOf(style));
  for (const style of parts.flatMap((part) => elementsOf(part, OUTLINE)))
    styles.set(OUTLINE, levelsOf(style));
  const counters = new Map<string, (number | undefined)[]>();

  const isNumbered = (style: string, level: number) =>
    (styles.get(style)?.[level]?.format ?? '') !== '';
  const next = (style: string, level: number, start?: number) => {
    if (!isNumbered(style, level)) return '';
    const levels = styles.get(style) ?? [];
    const counts = counters.get(style) ?? [];
    counters.set(style, counts);
    const before = counts[level];
    counts[level] = start ?? (before === undefined ? (levels[level]?.start ?? 1) : before + 1);
    counts.length = level + 1;
    return textOf(levels, counts);
  };
  return {
    begin: (style) => counters.delete(style),
    next,
    isNumbered,
    nextHeading: (level) => next(OUTLINE, level),
  };
}

function textOf(levels: Levels, counts: (number | undefined)[]): string {
  const own = levels[counts.length - 1];
  if (!own) return '';
  const first = Math.max(0, counts.length - own.shown);
  const numbers = counts.slice(first).map((count, at) => {
    const level = levels[first + at];
    return level?.format ? formatNumber(count ?? level.start, level.format) : '';
  });
  return `${own.prefix}${numbers.filter((number) => number !== '').join('.')}${own.suffix}`;
}

function levelsOf(style: ParentNode): Levels {
  const levels: Levels = [];
  for (const level of style.children.filter(isElement)) {
    const n = Number(level.attribs['text:level']);
    if (n >= 1 && n <= MAX_LEVELS) levels[n - 1] = levelOf(level);
  }
  return levels;
}

const levelOf = ({ attribs }: Element): Level => ({
  // Bullets have no format of numbers.
  format: ownEntry(FORMATS, attribs['style:num-format'] ?? '') ?? '',
  prefix: attribs['style:num-prefix'] ?? '',
  suffix: attribs['style:num-suffix'] ?? '',
  start: Number(attribs['text:start-value'] ?? 1),
  shown: Number(attribs['text:display-levels'] ?? 1),
});

/** The number that some programs store with the item. */
export const storedNumber = (item: Element): Element | undefined => childOf(item, 'text:number');
