const GAP_PX = 12;
export const EDGE_PX = 16;

/** A place in a file: a share (0–1) of the height of one page. */
export interface Anchor {
  /** From 0. */
  index: number;
  share: number;
}

/** Where the pages stand below each other, in px. */
export interface PageLayout {
  /** Of a page with the gap below it. */
  heightOf: (index: number) => number;
  topOf: (index: number) => number;
  /** The place at `y`. */
  anchorAt: (y: number) => Anchor;
  yOf: (anchor: Anchor) => number;
}

interface LayoutOptions {
  count: number;
  width: number;
  /** Height by width of a page that is not in `ratios`. */
  ratio: number;
  /** By page, from 1. */
  ratios: ReadonlyMap<number, number>;
}

export function layoutPages({ count, width, ratio, ratios }: LayoutOptions): PageLayout {
  const heightOf = (index: number) => Math.round(width * (ratios.get(index + 1) ?? ratio)) + GAP_PX;
  const usual = Math.round(width * ratio) + GAP_PX;
  const topOf = (index: number) => {
    let top = EDGE_PX + index * usual;
    for (const n of ratios.keys()) if (n <= index) top += heightOf(n - 1) - usual;
    return top;
  };
  const indexAt = (y: number) => {
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (topOf(middle) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  return {
    heightOf,
    topOf,
    anchorAt: (y) => {
      const index = indexAt(y);
      return { index, share: (y - topOf(index)) / heightOf(index) };
    },
    yOf: ({ index, share }) => topOf(index) + share * heightOf(index),
  };
}
