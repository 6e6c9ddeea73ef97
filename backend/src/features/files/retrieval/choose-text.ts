import { firstPageOf, type ReadPage } from '../../../reading/index.ts';
import { fold } from '../../../text/fold.ts';
import { meaningOf } from '../../../text/ranking/question.ts';
import type { Passage } from '../../../text/ranking/text-index.ts';
import type { FilesInput } from '../../context.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileRecord } from '../library/file-record.ts';
import { similaritiesOf } from '../vectors/similarity.ts';
import { type FileIndex, type IndexedFile, LABEL_TOKENS } from './file-index.ts';
import { cutPassages, headOf } from './passages.ts';
import type { PromptPassage } from './prompt-text.ts';
import { rephrase } from './rephrase.ts';
import { type Reason, type Selection, selectPassages } from './selection.ts';
import { estimateTokens } from './token-estimate.ts';

/** The text for a reply. */
export interface Given {
  reason: Reason | 'whole';
  passages: PromptPassage[];
}

interface Options {
  input: FilesInput;
  /** Newest first. */
  opened: readonly IndexedFile[];
}

/** A passage of a file, and the other places with the same text. */
interface ChosenPassage {
  file: FileRecord;
  passage: Passage;
  sameAs: { file: FileRecord; passage: Passage }[];
}

/** A whole text may take this share of the tokens that files share with the conversation. */
const WHOLE_SHARE = 0.5;

/** Chooses between the whole text and passages, and names the passages `p1`, `p2`, … in the order of the prompt. */
export async function chooseText(files: FilesFeature, options: Options): Promise<Given> {
  const { input, opened } = options;
  const { pagesOf } = files.texts;
  const budget = await input.budgetTokens;
  const room = roomFor(input, budget);
  const pages = new Map<string, readonly ReadPage[]>();
  const describe = async (places: readonly ChosenPassage[]): Promise<PromptPassage[]> => {
    for (const { file } of places) if (!pages.has(file.id)) pages.set(file.id, await pagesOf(file));
    return places.map((place, at) => toPromptPassage(place, pages, { at, before: places[at - 1] }));
  };

  const whole = opened.reduce((sum, { index }) => sum + costOf(index), 0);
  if (whole <= Math.max(room, budget * WHOLE_SHARE)) {
    const places: ChosenPassage[] = [];
    for (const { file } of opened) {
      const passages = cutPassages(await pagesOf(file), { overlap: 0 });
      for (const passage of passages) places.push({ file, passage, sameAs: [] });
    }
    return { reason: 'whole', passages: await describe(places) };
  }
  const similarities = await compareMeanings(files, options);
  const { reason, passages } = await select(files, { ...options, room, similarities });
  return { reason, passages: await describe(placesOf(opened, passages)) };
}

const costOf = (index: FileIndex) => index.tokens + index.passages.length * LABEL_TOKENS;

/** More than half only when the message, which the prompt has whole, leaves it. */
function roomFor({ path, share = WHOLE_SHARE }: FilesInput, budget: number): number {
  const beside = budget - estimateTokens(path.at(-1)?.content ?? '');
  return Math.min(budget * share, Math.max(budget * WHOLE_SHARE, beside));
}

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

async function select(
  files: FilesFeature,
  { input, opened, room, similarities }: Options & { room: number; similarities: Similarities },
): Promise<Selection> {
  const said = saidIn(input);
  const message = said.at(-1);
  const brought = new Set(message?.fileIds);
  const { named, rest } = splitNames(message?.content ?? '', opened);
  const searched = named.length > 0 ? named : [...opened.keys()];
  const selection = await selectPassages({
    indexes: searched.flatMap((at) => opened[at]?.index ?? []),
    rephrase: () =>
      rephrase(
        files,
        input,
        searched.flatMap((at) => opened[at] ?? []),
      ),
    ...(similarities && { similarities: searched.map((at) => similarities[at] ?? null) }),
    message: rest,
    previous: said.at(-2)?.content ?? '',
    ofMessage:
      named.length > 0
        ? [...named.keys()]
        : [...opened.keys()].filter((at) => brought.has(opened[at]?.file.id ?? '')),
    room,
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

/** A shorter name may be a word. */
const MIN_NAME_LENGTH = 5;

/** The files that a message names with their extension, and its remaining words. */
function splitNames(message: string, opened: readonly IndexedFile[]) {
  // Diacritics distinguish words.
  let rest = message;
  const named = new Set<string>();
  const names = new Set(opened.map(({ file }) => fold(file.name)));
  // The longest first: the name of a file may end as that of another one.
  for (const name of [...names].toSorted((a, b) => b.length - a.length)) {
    const folded = fold(rest);
    if (name.length < MIN_NAME_LENGTH || !name.includes('.') || !folded.includes(name)) continue;
    named.add(name);
    rest = folded.replaceAll(name, ' ');
  }
  const isNamed = (at: number) => named.has(fold(opened[at]?.file.name ?? ''));
  return { named: [...opened.keys()].filter(isNamed), rest };
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

/** @param of the position in the prompt, and the passage before it */
function toPromptPassage(
  { file, passage: { page, start, end }, sameAs }: ChosenPassage,
  pages: ReadonlyMap<string, readonly ReadPage[]>,
  { at, before }: { at: number; before: ChosenPassage | undefined },
): PromptPassage {
  const all = pages.get(file.id) ?? [];
  const found = all.find(({ n }) => n === page);
  const head = found && headOf(found, firstPageOf(all, found));
  const isBelow = head !== undefined && start >= head.end;
  const follows = before?.file.id === file.id && before.passage.page === page;
  const text = found?.text.slice(start, end) ?? '';
  return {
    passage: { id: `p${at + 1}`, fileId: file.id, fileName: file.name, page, start, end, text },
    sameAs: sameAs.map((other) => ({
      fileId: other.file.id,
      fileName: other.file.name,
      page: other.passage.page,
    })),
    ...(found?.label !== undefined && { pageLabel: found.label }),
    // One passage of a page tells how the page begins; each has the columns.
    ...(isBelow && (head.kind === 'columns' || !follows) && { head }),
  };
}
