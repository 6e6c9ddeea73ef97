import { NAMED_PAGE, type RankedPassage } from '../../../text/ranking/rank.ts';

/** A passage with its rank by words and meaning together. */
export interface FusedPassage extends RankedPassage {
  fused: number;
}

/** Usual values of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009). */
const K = 60;
/** Number of passages per ranking that count. */
const DEPTH = 50;
/** The weight of the question in other words, each time. */
const VARIANT_WEIGHT = 0.7;

/**
 * Combines the ranking by words with others: each adds 1 / (60 + rank) for its best 50 passages, or 0.7 of it for the question in other
 * words. Only ranks count, because scores of words and of embedding models have no common scale. Passages on pages that the question names
 * stay first, and those that only have words of the question follow last.
 * @param similarities of each file's passages; null for a file without vectors
 * @param variants the rankings by words for the question in other words
 */
export function fuse(
  byWords: readonly RankedPassage[],
  similarities: readonly (Float64Array | null | undefined)[],
  variants: readonly { passages: readonly RankedPassage[] }[] = [],
): FusedPassage[] {
  const byMeaning = similarities
    .flatMap((ofFile, file) =>
      Array.from(ofFile ?? [], (similarity, passage) => ({ file, passage, similarity })),
    )
    .toSorted((a, b) => b.similarity - a.similarity);
  const all = new Map<string, FusedPassage>();
  const add = ({ file, passage }: RankedPlace, more: { score?: number; fused: number }) => {
    const key = `${file}:${passage}`;
    const found = all.get(key) ?? { file, passage, score: 0, fused: 0 };
    found.score += more.score ?? 0;
    found.fused += more.fused;
    all.set(key, found);
  };
  const partOf = (rank: number) => (rank < DEPTH ? 1 / (K + rank + 1) : 0);
  for (const [rank, ranked] of byWords.entries()) {
    const first = ranked.score >= NAMED_PAGE ? 1 : 0;
    add(ranked, { score: ranked.score, fused: first + partOf(rank) });
  }
  for (const [rank, place] of byMeaning.slice(0, DEPTH).entries())
    add(place, { fused: partOf(rank) });
  for (const { passages } of variants)
    for (const [rank, place] of passages.slice(0, DEPTH).entries())
      add(place, { fused: VARIANT_WEIGHT * partOf(rank) });
  return [...all.values()].toSorted((a, b) => b.fused - a.fused);
}

type RankedPlace = Pick<RankedPassage, 'file' | 'passage'>;
