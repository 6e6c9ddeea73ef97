import { describe, expect, it } from 'vitest';
import { NAMED_PAGE } from '../../../text/ranking/rank.ts';
import { fuse } from './fusion.ts';

const words = (...passages: [passage: number, score: number][]) =>
  passages.map(([passage, score]) => ({ file: 0, passage, score }));
const order = (fused: ReturnType<typeof fuse>) => fused.map(({ passage }) => passage);

describe('fuse', () => {
  it('adds the reciprocal ranks of both rankings, with 60 before the first', () => {
    const fused = fuse(words([2, 9], [0, 8]), [Float64Array.of(0.2, 0.9, 0.5)]);
    expect(order(fused)).toEqual([2, 0, 1]);
    expect(fused.map(({ fused: sum }) => sum)).toEqual([1 / 61 + 1 / 62, 1 / 62 + 1 / 63, 1 / 61]);
    expect(fused.map(({ score }) => score)).toEqual([9, 8, 0]);
  });

  it('adds 0.7 of it for the question in other words, each time', () => {
    const variants = [{ passages: words([7, 3]) }, { passages: words([7, 8], [2, 1]) }];
    const fused = fuse(words([2, 9], [0, 8]), [], variants);
    expect(order(fused)).toEqual([2, 7, 0]);
    expect(fused.map(({ fused: sum }) => sum)).toEqual([
      1 / 61 + 0.7 / 62,
      0.7 / 61 + 0.7 / 61,
      1 / 62,
    ]);
    expect(fused.map(({ score }) => score)).toEqual([9, 0, 8]);
  });

  it('counts the best 50 of each ranking only, and those with words of the question follow', () => {
    const cosines = Float64Array.from({ length: 100 }, (_, at) => 1 - at / 100);
    const sixty = Array.from({ length: 60 }, (_, at): [number, number] => [199 - at, 60 - at]);
    const fused = fuse(words(...sixty), [cosines]);
    expect(fused.slice(0, 100).every(({ fused: sum }) => sum >= 1 / 110)).toBe(true);
    expect(order(fused.slice(100))).toEqual([149, 148, 147, 146, 145, 144, 143, 142, 141, 140]);
    expect(fuse(words([0, 1]), [Float64Array.from({ length: 80 }, () => 1)])).toHaveLength(50);
  });

  it('keeps passages on a page that the question names first', () => {
    const fused = fuse(words([3, NAMED_PAGE], [1, 5]), [Float64Array.of(0.9, 0.8, 0.7, 0)]);
    expect(order(fused)[0]).toBe(3);
  });

  it('ranks the passages of a file without vectors by their words', () => {
    const inTwo = [...words([0, 9]), { file: 1, passage: 0, score: 3 }];
    const fused = fuse(inTwo, [null, Float64Array.of(0.1, 0.9)]);
    expect(fused.map(({ file, passage }) => [file, passage])).toEqual([
      [1, 0],
      [0, 0],
      [1, 1],
    ]);
  });
});
