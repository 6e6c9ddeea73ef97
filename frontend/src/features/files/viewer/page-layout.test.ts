import { expect, it } from 'vitest';
import { layoutPages } from './page-layout.ts';

const layout = (width: number, ratios: [number, number][] = []) =>
  layoutPages({ count: 60, width, ratio: 1.5, ratios: new Map(ratios) });

it('puts pages below each other, each as high as it is', () => {
  const { heightOf, topOf } = layout(100, [[2, 0.5]]);
  expect([0, 1, 2].map(heightOf)).toEqual([162, 62, 162]);
  expect([0, 1, 2, 3].map(topOf)).toEqual([16, 178, 240, 402]);
});

it('finds the page at every place', () => {
  const { anchorAt, topOf } = layout(100, [[2, 0.5]]);
  for (const index of [0, 1, 2, 36, 59]) {
    expect(anchorAt(topOf(index))).toEqual({ index, share: 0 });
    expect(anchorAt(topOf(index) + 31).index).toBe(index);
  }
  expect(anchorAt(0).index).toBe(0);
  expect(anchorAt(1_000_000).index).toBe(59);
});

it('keeps a place when the width or the height of an earlier page changes', () => {
  const anchor = layout(560).anchorAt(30_000);
  for (const other of [layout(320), layout(900, [[3, 0.7]])]) {
    const { index, share } = other.anchorAt(other.yOf(anchor));
    expect(index).toBe(anchor.index);
    expect(share).toBeCloseTo(anchor.share, 6);
  }
});
