import type { Box, BoxOf } from './char-boxes.ts';

/** What stands between characters of PDFium's text in a reading order. */
export const SPACE = -1;
export const LINE_END = -2;

/** Texts are on one line when they share this much of the lower one's height. */
const SAME_LINE = 0.5;
/** A label stands at most so far beside its field, as a share of the page's width. */
const MAX_GAP = 0.5;
/** Words with a wider gap between them are of two fields; a share of the page's width. */
const MAX_WORD_GAP = 0.05;
/** A label stands at most so many heights of its text above its field. */
const MAX_HEIGHTS_ABOVE = 3;
/** Pairs of lines that are compared; a page with more keeps the order of its content. */
const MAX_PAIRS = 500_000;

/** Of text without a box: it stands beside and below nothing. */
const NOWHERE: Box = { left: 0, top: 0, right: 0, bottom: 0 };

interface Line {
  from: number;
  to: number;
  box: Box;
  /** Of a line that was placed: before which character. */
  at?: number;
}
/** Where a line is put: before the character `at`; on the line that stands there, or on one of its own. */
interface Place {
  at: number;
  isBeside: boolean;
}

/**
 * The reading order of a page whose characters from `own` on are those of its form fields and notes: each of their lines stands
 * beside or below the text that it fills in, as on the page.
 */
export function placeLines(chars: readonly string[], own: number, boxOf: BoxOf): number[] {
  const content = linesOf(chars, { from: 0, to: own }, boxOf);
  const added = linesOf(chars, { from: own, to: chars.length }, boxOf).flatMap((line) =>
    splitAtGaps(chars, line, boxOf),
  );
  const isTooMuch = (content.length + added.length) * added.length > MAX_PAIRS;
  const placed = new Map<number, { line: Line; isBeside: boolean }[]>();
  let last: (Place & { line: Line }) | undefined;
  for (const line of added) {
    const place = (!isTooMuch && placeOf(line, { chars, content, boxOf, last })) || {
      at: own,
      isBeside: false,
    };
    const there = placed.get(place.at);
    if (there) there.push({ line, isBeside: place.isBeside });
    else placed.set(place.at, [{ line, isBeside: place.isBeside }]);
    last = { ...place, line };
    // The cells of a row are beside each other.
    content.push({ ...line, at: place.at });
  }
  return merge(chars, own, placed);
}

function placeOf(
  { box }: Line,
  page: {
    chars: readonly string[];
    content: readonly Line[];
    boxOf: BoxOf;
    last: (Place & { line: Line }) | undefined;
  },
): Place | null {
  const { chars, content, boxOf, last } = page;
  const beside = nearest(content, (line) => {
    const gap = Math.max(0, box.left - line.box.right, line.box.left - box.right);
    return isBeside(line.box, box) && gap <= MAX_GAP ? gap : null;
  });
  if (beside?.at !== undefined) return { at: beside.at, isBeside: true };
  if (beside) return { at: placeWithin(beside, { chars, box, boxOf }), isBeside: true };
  if (last && heightsBelow(last.line.box, box) < 1) return { at: last.at, isBeside: false };
  const above = nearest(content, (line) => {
    if (line.at !== undefined) return null;
    const heights = heightsBelow(line.box, box);
    return heights < MAX_HEIGHTS_ABOVE ? heights : null;
  });
  return above && { at: above.to, isBeside: false };
}

/** The first character of the line that stands to the right of where the box begins; never within a word. */
function placeWithin(
  line: Line,
  { chars, box, boxOf }: { chars: readonly string[]; box: Box; boxOf: BoxOf },
): number {
  let at = line.from;
  while (at < line.to) {
    const here = boxOf(at);
    if (here && (here.left + here.right) / 2 > box.left) break;
    at += 1;
  }
  const isLetter = (index: number) => /[\p{L}\p{N}]/u.test(chars[index] ?? '');
  while (at > line.from && at < line.to && isLetter(at - 1) && isLetter(at)) at += 1;
  return at;
}

function merge(
  chars: readonly string[],
  own: number,
  placed: ReadonlyMap<number, { line: Line; isBeside: boolean }[]>,
): number[] {
  const order: number[] = [];
  const isBlank = (index: number | undefined) =>
    index === undefined || index < 0 || index === own || /\s/.test(chars[index] ?? '');
  for (let index = 0; index <= own; index += 1) {
    const lines = placed.get(index) ?? [];
    for (const { line, isBeside } of lines) {
      if (!isBeside && order.length > 0) order.push(LINE_END);
      else if (!isBlank(order.at(-1))) order.push(SPACE);
      for (let at = line.from; at < line.to; at += 1) order.push(at);
    }
    const last = lines.at(-1);
    if (last && !isBlank(index)) order.push(last.isBeside ? SPACE : LINE_END);
    if (index < own) order.push(index);
  }
  return order;
}

/** The lines in a range of characters that something stands on. */
function linesOf(
  chars: readonly string[],
  { from, to }: { from: number; to: number },
  boxOf: BoxOf,
): Line[] {
  const lines: Line[] = [];
  let start = from;
  for (let at = from; at <= to; at += 1) {
    if (at < to && !/[\r\n\0\uFFFE]/.test(chars[at] ?? '')) continue;
    lines.push(...lineOf(chars, { from: start, to: at }, boxOf));
    start = at + 1;
  }
  return lines;
}

/** PDFium joins fields that follow each other to one line, wherever they stand. */
function splitAtGaps(chars: readonly string[], line: Line, boxOf: BoxOf): Line[] {
  const lines: Line[] = [];
  let { from } = line;
  let before = boxOf(from);
  for (let at = from + 1; at < line.to; at += 1) {
    const here = boxOf(at);
    if (!here || chars[at]?.trim() === '') continue;
    if (before && chars[at - 1]?.trim() === '' && !follows(before, here)) {
      lines.push(...lineOf(chars, { from, to: at }, boxOf));
      from = at;
    }
    before = here;
  }
  return [...lines, ...lineOf(chars, { from, to: line.to }, boxOf)];
}

const follows = (before: Box, here: Box): boolean =>
  isBeside(before, here) && Math.abs(here.left - before.right) < MAX_WORD_GAP;

function lineOf(
  chars: readonly string[],
  { from, to }: { from: number; to: number },
  boxOf: BoxOf,
): Line[] {
  while (from < to && chars[from]?.trim() === '') from += 1;
  while (from < to && chars[to - 1]?.trim() === '') to -= 1;
  if (from >= to) return [];
  const first = boxOf(from) ?? NOWHERE;
  const last = boxOf(to - 1) ?? first;
  const box = {
    left: Math.min(first.left, last.left),
    right: Math.max(first.right, last.right),
    top: Math.min(first.top, last.top),
    bottom: Math.max(first.bottom, last.bottom),
  };
  return [{ from, to, box }];
}

function nearest(lines: readonly Line[], distanceOf: (line: Line) => number | null): Line | null {
  let best: Line | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const distance = distanceOf(line);
    if (distance === null || distance >= least) continue;
    best = line;
    least = distance;
  }
  return best;
}

export function isBeside(one: Box, other: Box): boolean {
  const common = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return common > SAME_LINE * Math.min(one.bottom - one.top, other.bottom - other.top);
}

/** How many heights of its text the lower box stands below the upper one; infinite when it does not stand below it. */
function heightsBelow(upper: Box, lower: Box): number {
  const common = Math.min(upper.right, lower.right) - Math.max(upper.left, lower.left);
  const gap = lower.top - upper.bottom;
  const height = Math.min(upper.bottom - upper.top, lower.bottom - lower.top);
  return common > 0 && gap > -SAME_LINE * height
    ? Math.max(0, gap) / height
    : Number.POSITIVE_INFINITY;
}
