import { type Question, readQuestion } from '../../../text/ranking/question.ts';
import { type Query, type RankedPassage, type Ranking, rank } from '../../../text/ranking/rank.ts';
import type { FileIndex } from './file-index.ts';
import { fuse } from './fusion.ts';
import { fill, type SelectedPassage, spread, spreadOverPages } from './picking.ts';

/** The reason for the selection. */
export type Reason =
  /** They fit the question. */
  | 'search'
  /** None has most of the question's information; these come closest. */
  | 'similar'
  /** The question is about files as a whole: passages from all parts of them. */
  | 'general'
  /** None has a word of the question, which is short or in another language: passages from all parts of the files. */
  | 'samples'
  /** None has a word of the question. */
  | 'nothing';

export interface Selection {
  reason: Reason;
  /** In the order of the files and their pages; duplicate texts once. */
  passages: SelectedPassage[];
}

/**
 * Below this share of the question's information, a passage may be about something else, and the prompt says so. Of 472 questions 0.4% stay
 * below it on the document that answers them, and 67% on documents about another topic (docs/decisions/0023-retrieval.md).
 */
const MIN_COVERAGE = 0.2;
/** In a file of another language only names and numbers can match. */
const MIN_FOREIGN_COVERAGE = 0.07;

export interface SelectionInput {
  indexes: readonly FileIndex[];
  /** The message to answer, without names of files, and the previous user message. */
  message: string;
  previous: string;
  /** Gives the question in other words, while it is searched for as it is. */
  rephrase?: (() => Promise<readonly string[]>) | undefined;
  /** The cosines of the question with the passages of each index, if vectors exist. */
  similarities?: readonly (Float64Array | null)[];
  /** The indexes of files that the message attaches or names. */
  ofMessage: readonly number[];
  /** Maximum tokens of the passages with their labels. */
  room: number;
}

/** Selects the passages of several files for a reply. */
export async function selectPassages({
  indexes,
  rephrase = async () => [],
  similarities = [],
  ofMessage,
  room,
  ...said
}: SelectionInput): Promise<Selection> {
  const question = readQuestion({ ...said, hasFiles: ofMessage.length > 0 });
  const { terms, pages } = question.query;
  const asked = ofMessage.length > 0 ? ofMessage : [...indexes.keys()];
  const samples = (reason: Reason): Selection => ({
    reason,
    passages: spread(indexes, asked, room),
  });
  if (question.isGeneral) return samples('general');
  const isEmpty = terms.length + pages.length === 0;
  const rephrasing = isEmpty ? [] : rephrase();
  const search = async (query: Query): Promise<Ranking> => {
    const { passages, coverage } = await rank(indexes, query);
    return { passages: spreadOverPages(indexes, passages), coverage };
  };
  const rankings = [await search(question.query)];
  for (const variant of await rephrasing) rankings.push(await search(queryOf(variant)));
  const isForeign = asked.some((file) => speaksAnother(indexes[file], question));
  const coverage = Math.max(...rankings.map((ranking) => ranking.coverage));
  const isCovered = coverage >= (isForeign ? MIN_FOREIGN_COVERAGE : MIN_COVERAGE);
  // 'Grade my essay': a task about a file, in words that the file does not have.
  const isTask = ofMessage.length > 0 && !question.asksForFact && pages.length === 0;
  if (isTask && !isCovered) return samples('general');
  const ranked = isEmpty ? [] : combined(rankings, similarities);
  if (ranked.length > 0)
    return { reason: isCovered ? 'search' : 'similar', passages: fill(indexes, ranked, room) };
  const mayBeThere = isEmpty
    ? question.asksForFact
    : question.isShort || !asked.every((file) => speaksTheSame(indexes[file], question));
  return mayBeThere && pages.length === 0
    ? samples('samples')
    : { reason: 'nothing', passages: [] };
}

const combined = (
  [own, ...others]: readonly Ranking[],
  similarities: readonly (Float64Array | null)[],
): readonly RankedPassage[] => {
  const passages = own?.passages ?? [];
  const isAlone = others.length === 0 && similarities.every((ofFile) => ofFile === null);
  return isAlone ? passages : fuse(passages, similarities, others);
};

/** Of a question, in which the model may not name pages. */
const queryOf = (message: string): Query => ({
  ...readQuestion({ message, previous: '', hasFiles: false }).query,
  pages: [],
});

const speaksAnother = (index: FileIndex | undefined, { languages }: Question) =>
  index !== undefined &&
  languages.length > 0 &&
  index.languages.length > 0 &&
  !index.languages.some((language) => languages.includes(language));

/** Whether file and question are in one language for sure. */
const speaksTheSame = (index: FileIndex | undefined, { languages, isSure }: Question) =>
  isSure &&
  languages.length === 1 &&
  index?.languages.length === 1 &&
  index.languages[0] === languages[0];
