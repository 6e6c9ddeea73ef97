import type { ReadPage } from '../../../reading/index.ts';
import { fold } from '../../../text/fold.ts';
import { meaningOf } from '../../../text/ranking/question.ts';
import type { Passage } from '../../../text/ranking/text-index.ts';
import type { FilesInput } from '../../context.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileRecord } from '../library/file-record.ts';
import { similaritiesOf } from '../vectors/similarity.ts';
import type { FileIndex } from './file-index.ts';
import { cutPassages, PASSAGE_LENGTH } from './passages.ts';
import type { PromptPassage } from './prompt-text.ts';
import { type Reason, type Selection, selectPassages } from './selection.ts';
import { estimateTokens } from './token-estimate.ts';

/** A file with text. */
export interface IndexedFile {
  file: FileRecord;
  index: FileIndex;
}

/** The text for a reply. */
export interface Given {
  reason: Reason | 'whole';
  passages: PromptPassage[];
}

interface Options {
  input: FilesInput;
  /** Newest first. */
  opened: readonly IndexedFile[];
  /** Maximum number of passages when the whole text is too long. */
  count: number;
}

/** A passage of a file, and the other places with the same text. */
interface ChosenPassage {
  file: FileRecord;
  passage: Passage;
  sameAs: { file: FileRecord; passage: Passage }[];
}

/** The files' share of the tokens that they share with the conversation. */
const SHARE = 0.5;
/** The lines around a passage, and a margin for the estimate. */
const LABEL_TOKENS = 60;

/** Chooses between the whole text and passages, and names the passages `p1`, `p2`, … in the order of the prompt. */
export async function chooseText(files: FilesFeature, options: Options): Promise<Given> {
  const { input, opened, count } = options;
  const { pagesOf } = files.texts;
  const room = (await input.budgetTokens) * SHARE;
  const pages = new Map<string, readonly ReadPage[]>();
  const describe = async (places: readonly ChosenPassage[]): Promise<PromptPassage[]> => {
    for (const { file } of places) if (!pages.has(file.id)) pages.set(file.id, await pagesOf(file));
    return places.map((place, at) => toPromptPassage(place, pages, `p${at + 1}`));
  };

  if (opened.reduce((sum, { index }) => sum + costOf(index), 0) <= room) {
    const places: ChosenPassage[] = [];
    for (const { file } of opened) {
      const passages = cutPassages(await pagesOf(file), { overlap: 0 });
      for (const passage of passages) places.push({ file, passage, sameAs: [] });
    }
    return { reason: 'whole', passages: await describe(places) };
  }
  const similarities = await compareMeanings(files, options);
  for (let max = count; ; max -= 1) {
    const selection = select({ input, opened, count: max, room, similarities });
    const { reason, passages: selected } = selection;
    const passages = await describe(placesOf(opened, selected));
    const tokens = passages.reduce(
      (sum, { passage }) => sum + estimateTokens(passage.text) + LABEL_TOKENS,
      0,
    );
    const isRanked = reason === 'search' || reason === 'similar';
    if (tokens <= room || max === 1 || !isRanked) return { reason, passages };
  }
}

const costOf = (index: FileIndex) => index.tokens + index.passages.length * LABEL_TOKENS;

type Similarities = (Float64Array | null)[] | null;

const saidIn = ({ path }: FilesInput) => path.filter(({ role }) => role === 'user');

async function compareMeanings(
  { vectors, ...files }: FilesFeature,
  { input, opened }: Options,
): Promise<Similarities> {
  if (!vectors) return null;
  const said = saidIn(input);
  const [message = '', previous = ''] = [said.at(-1)?.content, said.at(-2)?.content];
  const question = meaningOf({ message, previous });
  if (question.trim() === '') return null;
  const searched = opened.map(({ file }) => file);
  const { signal } = input;
  return similaritiesOf({ ...files, vectors }, { question, files: searched, signal });
}

function select({
  input,
  opened,
  count,
  room,
  similarities,
}: Options & {
  room: number;
  similarities: Similarities;
}): Selection {
  const said = saidIn(input);
  const message = said.at(-1);
  const brought = new Set(message?.fileIds);
  const { named, rest } = splitNames(message?.content ?? '', opened);
  const everything = opened.reduce((sum, { index }) => sum + costOf(index), 0);
  const length = opened.reduce((sum, { index }) => sum + index.passages.length, 0) * PASSAGE_LENGTH;
  const searched = named.length > 0 ? named : [...opened.keys()];
  const selection = selectPassages({
    indexes: searched.flatMap((at) => opened[at]?.index ?? []),
    ...(similarities && { similarities: searched.map((at) => similarities[at] ?? null) }),
    message: rest,
    previous: said.at(-2)?.content ?? '',
    ofMessage:
      named.length > 0
        ? [...named.keys()]
        : [...opened.keys()].filter((at) => brought.has(opened[at]?.file.id ?? '')),
    count,
    maxLength: (room / everything) * length * CAUTION,
  });
  const original = <T extends { file: number }>(place: T): T => ({
    ...place,
    file: searched[place.file] ?? 0,
  });
  return {
    ...selection,
    passages: selection.passages.map((passage) => ({
      ...original(passage),
      sameAs: passage.sameAs.map(original),
    })),
  };
}

/** A margin, because passages differ in their tokens. */
const CAUTION = 0.8;
/** A shorter name may be a word. */
const MIN_NAME_LENGTH = 5;

/** The files that a message names with their extension, and its remaining words. */
function splitNames(message: string, opened: readonly IndexedFile[]) {
  let rest = fold(message);
  const named: number[] = [];
  for (const [at, { file }] of opened.entries()) {
    const name = fold(file.name);
    if (name.length < MIN_NAME_LENGTH || !name.includes('.') || !rest.includes(name)) continue;
    named.push(at);
  }
  for (const at of named) rest = rest.replaceAll(fold(opened[at]?.file.name ?? ''), ' ');
  return { named, rest };
}

const placesOf = (
  opened: readonly IndexedFile[],
  selected: Selection['passages'],
): ChosenPassage[] =>
  selected.flatMap(({ file: at, passage, sameAs }) => {
    const file = opened[at]?.file;
    const others = sameAs.flatMap((place) => {
      const other = opened[place.file]?.file;
      return other ? [{ file: other, passage: place.passage }] : [];
    });
    return file ? [{ file, passage, sameAs: others }] : [];
  });

function toPromptPassage(
  { file, passage: { page, start, end }, sameAs }: ChosenPassage,
  pages: ReadonlyMap<string, readonly ReadPage[]>,
  id: string,
): PromptPassage {
  const found = pages.get(file.id)?.find(({ n }) => n === page);
  const [head = []] = found?.rows ?? [];
  const isBelowHead = head.length > 0 && start >= (head.at(-1)?.end ?? 0);
  const text = found?.text.slice(start, end) ?? '';
  return {
    passage: { id, fileId: file.id, fileName: file.name, page, start, end, text },
    sameAs: sameAs.map((other) => ({
      fileId: other.file.id,
      fileName: other.file.name,
      page: other.passage.page,
    })),
    ...(found?.label !== undefined && { pageLabel: found.label }),
    ...(isBelowHead && { columns: head.map(({ text }) => text).join(' | ') }),
  };
}
