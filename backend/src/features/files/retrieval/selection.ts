import { readQuestion } from '../../../text/ranking/question.ts';
import { type RankedPassage, type Ranking, rank } from '../../../text/ranking/rank.ts';
import type { Passage } from '../../../text/ranking/text-index.ts';
import type { FileIndex } from './file-index.ts';
import { fuse } from './fusion.ts';

/** The reason for the selection. */
export type Reason =
  /** They fit the question. */
  | 'search'
  /** None has the words of the question; these are closest in meaning. */
  | 'similar'
  /** The question is about files as a whole: passages from all parts of them. */
  | 'general'
  /** Nothing fits, and the files are in another language than the question: passages from all parts of them. */
  | 'other_language'
  /** Nothing fits the question. */
  | 'nothing';

/** The passage at this position of the index. */
interface SelectedPassage {
  file: number;
  passage: Passage;
}

export interface Selection {
  reason: Reason;
  /** In the order of the files and their pages; duplicate texts once. */
  passages: (SelectedPassage & { sameAs: SelectedPassage[] })[];
}

/**
 * Below this share of the question's information a passage is irrelevant. Of 472 questions 0.4% stay below it on the document that answers
 * them, and 67% on documents about another topic (docs/decisions/0023-retrieval.md).
 */
const MIN_COVERAGE = 0.2;
/** In a file of another language only names and numbers can match. */
const MIN_FOREIGN_COVERAGE = 0.07;
/** A file is represented when its best passage reaches this share of the best score. */
const GOOD = 0.5;

export interface SelectionInput {
  indexes: readonly FileIndex[];
  /** The message to answer, without names of files, and the previous user message. */
  message: string;
  previous: string;
  /** The cosines of the question with the passages of each index, if vectors exist. */
  similarities?: readonly (Float64Array | null)[];
  /** The indexes of files that the message attaches or names. */
  ofMessage: readonly number[];
  /** Maximum number of passages for a question. */
  count: number;
  /** Maximum length of a selection from all parts of the files, in UTF-16 code units. */
  maxLength: number;
}

/** Selects the passages of several files for a reply. */
export function selectPassages({
  indexes,
  similarities = [],
  ofMessage,
  count,
  maxLength,
  ...said
}: SelectionInput): Selection {
  const question = readQuestion({ ...said, hasFiles: ofMessage.length > 0 });
  const every = [...indexes.keys()];
  const asked = ofMessage.length > 0 ? ofMessage : every;
  if (question.isGeneral) {
    return { reason: 'general', passages: spread(indexes, asked, maxLength) };
  }
  const foreign = asked.filter((file) => isForeign(indexes[file], question.languages));
  const ranking = rank(indexes, question.query);
  const hasVectors = similarities.some((ofFile) => ofFile !== null);
  const ranked = hasVectors ? fuse(ranking.passages, similarities) : ranking.passages;
  const best = () =>
    inOrder(indexes, withEveryFile(eachTextOnce(indexes, ranked), count, bestScore(ranking)));
  if (ranking.coverage >= (foreign.length > 0 ? MIN_FOREIGN_COVERAGE : MIN_COVERAGE)) {
    return { reason: 'search', passages: best() };
  }
  if (question.query.pages.length > 0) return { reason: 'nothing', passages: [] };
  // 'Grade my essay': a task about a file, in words that the file does not have.
  if (ofMessage.length > 0 && !question.asksForFact) {
    return { reason: 'general', passages: spread(indexes, asked, maxLength) };
  }
  // The minimum useful similarity differs between models: the prompt says so, and the reply decides.
  if (hasVectors && question.query.terms.length > 0) {
    return { reason: 'similar', passages: best() };
  }
  if (foreign.length === 0) return { reason: 'nothing', passages: [] };
  return { reason: 'other_language', passages: spread(indexes, foreign, maxLength) };
}

const isForeign = (index: FileIndex | undefined, languages: readonly string[]) =>
  index !== undefined &&
  languages.length > 0 &&
  index.languages.length > 0 &&
  !index.languages.some((language) => languages.includes(language));

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

const bestScore = ({ passages: [best] }: Ranking) => best?.score ?? 0;

/** The best `count`, with at least one of each file that matches nearly as well as the best. */
function withEveryFile(
  ranked: readonly Candidate[],
  count: number,
  mostScore: number,
): Candidate[] {
  const best = ranked.slice(0, count);
  for (const candidate of ranked.slice(count)) {
    if (candidate.score === 0 || candidate.score < mostScore * GOOD) continue;
    if (best.some(({ file }) => file === candidate.file)) continue;
    const spare = best.findLastIndex(
      ({ file }) => best.filter((other) => other.file === file).length > 1,
    );
    if (spare === -1) break;
    best.splice(spare, 1, candidate);
  }
  return best;
}

function inOrder(
  indexes: readonly FileIndex[],
  candidates: readonly Candidate[],
): Selection['passages'] {
  const placeOf = ({ file, passage: at }: RankedPassage): SelectedPassage[] => {
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
function spread(
  indexes: readonly FileIndex[],
  files: readonly number[],
  maxLength: number,
): Selection['passages'] {
  const ranked: RankedPassage[] = [];
  for (const [done, file] of files.entries()) {
    const all = indexes[file]?.passages ?? [];
    const length = all.reduce((sum, { start, end }) => sum + end - start, 0);
    const share = Math.floor((maxLength - lengthOf(indexes, ranked)) / (files.length - done));
    const room = length <= share ? all.length : Math.floor((all.length * share) / length);
    for (const passage of spreadOver(all.length, room)) ranked.push({ file, passage, score: 0 });
  }
  return inOrder(indexes, ranked);
}

const lengthOf = (indexes: readonly FileIndex[], ranked: readonly RankedPassage[]) =>
  inOrder(indexes, ranked).reduce((sum, { passage }) => sum + passage.end - passage.start, 0);

function spreadOver(all: number, room: number): number[] {
  if (room >= all) return Array.from({ length: all }, (_, at) => at);
  const beginning = Math.ceil(room / 2);
  const later = room - beginning;
  const step = (all - beginning) / Math.max(later, 1);
  return Array.from({ length: room }, (_, at) =>
    at < beginning ? at : Math.floor(beginning + (at - beginning + 1) * step) - 1,
  );
}
