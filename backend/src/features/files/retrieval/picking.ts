import { NAMED_PAGE, type RankedPassage } from '../../../text/ranking/rank.ts';
import type { Passage } from '../../../text/ranking/text-index.ts';
import { type FileIndex, MAX_PLACES, PLACE_TOKENS } from './file-index.ts';

// Which of the ranked passages are given.

/** The passage at this position of the index. */
interface Place {
  file: number;
  passage: Passage;
}

/** A passage, and the other places with the same text. */
export interface SelectedPassage extends Place {
  sameAs: Place[];
}

/** What each passage counts that follows a better one of its page. */
const AGAIN = 0.85;
/** Pages of print have fewer characters; longer ones, such as those of Markdown, tell of several things. */
const PRINTED_PAGE = 6_000;

/**
 * A ranking in which the passages of one printed page follow each other less closely, so that more pages are found: a word of the question
 * is often in the title of a page and in each of its passages, while the answer is on another page. A page that the question names stays
 * whole.
 */
export function spreadOverPages(
  indexes: readonly FileIndex[],
  ranked: readonly RankedPassage[],
): RankedPassage[] {
  const better = new Map<string, number>();
  const counted = ranked.map((candidate) => {
    if (candidate.score >= NAMED_PAGE) return candidate;
    const index = indexes[candidate.file];
    const page = index?.passages[candidate.passage]?.page ?? 0;
    if (!index || (pageLengths(index).get(page) ?? 0) > PRINTED_PAGE) return candidate;
    const key = `${candidate.file}:${page}`;
    const count = better.get(key) ?? 0;
    better.set(key, count + 1);
    return { ...candidate, score: candidate.score * AGAIN ** count };
  });
  return counted.toSorted((a, b) => b.score - a.score);
}

/** Cached, because a conversation asks the same files again. */
const known = new WeakMap<FileIndex, ReadonlyMap<number, number>>();

/** Where the last passage of each page ends. */
function pageLengths(index: FileIndex): ReadonlyMap<number, number> {
  const lengths = known.get(index) ?? new Map(index.passages.map(({ page, end }) => [page, end]));
  known.set(index, lengths);
  return lengths;
}

/** A file is represented when its best passage reaches this share of the best score. */
const GOOD = 0.5;

interface Candidate extends RankedPassage {
  same?: RankedPassage[];
}

/** Passages with the text of a better one are recorded there. */
function eachTextOnce(
  indexes: readonly FileIndex[],
  ranked: readonly RankedPassage[],
): Candidate[] {
  const byText = new Map<string, Required<Candidate>>();
  for (const candidate of ranked) {
    const hash = indexes[candidate.file]?.passages[candidate.passage]?.hash ?? '';
    const better = byText.get(hash);
    if (better) better.same.push(candidate);
    else byText.set(hash, { ...candidate, same: [] });
  }
  return [...byText.values()];
}

/** The best that fit in `room`, at least one, and at least one of each file that matches nearly as well as the best. */
export function fill(
  indexes: readonly FileIndex[],
  ranked: readonly RankedPassage[],
  room: number,
): SelectedPassage[] {
  return inOrder(indexes, withEveryFile(indexes, eachTextOnce(indexes, ranked), room));
}

function withEveryFile(
  indexes: readonly FileIndex[],
  ranked: readonly Candidate[],
  room: number,
): Candidate[] {
  const costOf = ({ file, passage, same = [] }: Candidate) =>
    (indexes[file]?.costs[passage] ?? 0) + Math.min(same.length, MAX_PLACES) * PLACE_TOKENS;
  let left = room;
  const best: Candidate[] = [];
  for (const candidate of ranked) {
    left -= costOf(candidate);
    if (left < 0 && best.length > 0) break;
    best.push(candidate);
  }
  left = room - sum(best.map(costOf));
  const good = GOOD * Math.max(...ranked.map(({ score }) => score));
  for (const candidate of ranked.slice(best.length)) {
    if (candidate.score === 0 || candidate.score < good) continue;
    if (best.some(({ file }) => file === candidate.file)) continue;
    while (left < costOf(candidate)) {
      const spare = best.findLastIndex(
        ({ file }) => best.filter((other) => other.file === file).length > 1,
      );
      if (spare === -1) return best;
      left += sum(best.splice(spare, 1).map(costOf));
    }
    best.push(candidate);
    left -= costOf(candidate);
  }
  return best;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

function inOrder(
  indexes: readonly FileIndex[],
  candidates: readonly Candidate[],
): SelectedPassage[] {
  const placeOf = ({ file, passage: at }: RankedPassage): Place[] => {
    const passage = indexes[file]?.passages[at];
    return passage ? [{ file, passage }] : [];
  };
  return candidates
    .toSorted((a, b) => a.file - b.file || a.passage - b.passage)
    .flatMap((candidate) =>
      placeOf(candidate).map((place) => ({
        ...place,
        sameAs: (candidate.same ?? []).flatMap(placeOf),
      })),
    );
}

/** Equal shares for the files: the first half from the beginning, then passages at equal distances. */
export function spread(
  indexes: readonly FileIndex[],
  files: readonly number[],
  room: number,
): SelectedPassage[] {
  const ranked: RankedPassage[] = [];
  let left = room;
  for (const [done, file] of files.entries()) {
    const costs = indexes[file]?.costs ?? [];
    const share = left / (files.length - done);
    let count = Math.min(costs.length, Math.ceil((costs.length * share) / sum(costs)));
    const used = () => sum(spreadOver(costs.length, count).map((at) => costs[at] ?? 0));
    while (count > 0 && used() > share) count -= 1;
    for (const passage of spreadOver(costs.length, count)) ranked.push({ file, passage, score: 0 });
    left -= used();
  }
  return inOrder(indexes, ranked);
}

function spreadOver(all: number, room: number): number[] {
  if (room >= all) return Array.from({ length: all }, (_, at) => at);
  const beginning = Math.ceil(room / 2);
  const later = room - beginning;
  const step = (all - beginning) / Math.max(later, 1);
  return Array.from({ length: room }, (_, at) =>
    at < beginning ? at : Math.floor(beginning + (at - beginning + 1) * step) - 1,
  );
}
