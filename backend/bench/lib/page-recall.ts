import { FILES_SHARE } from '../../src/features/chat/messages/index.ts';
import { type FileIndex, indexFile } from '../../src/features/files/retrieval/file-index.ts';
import { type Reason, selectPassages } from '../../src/features/files/retrieval/selection.ts';
import type { ReadPage } from '../../src/reading/index.ts';
import { createSimilarities } from './embeddings.ts';
import { type PageQuestion, readPageQuestions } from './page-questions.ts';
import { mean, percent, printTable, printTitle } from './report.ts';

/** The default length of a prompt. */
const CONTEXT_TOKENS = 16_000;

interface OpenFile {
  name: string;
  index: FileIndex;
  pages: readonly ReadPage[];
}

interface Way {
  variants?: boolean;
  similarities?: NonNullable<ReturnType<typeof createSimilarities>>;
}

/** Prints the share of the pages with the answer that a reply is given of its files, by depth, and what the prompt says of the passages. */
export async function measurePages(folder: string): Promise<void> {
  const { texts, questions } = await readPageQuestions(folder);
  const files = new Map<string, OpenFile>();
  for (const [name, pages] of texts)
    files.set(name, { name, pages, index: await indexFile(pages) });
  const own = ({ files: names }: PageQuestion) => names.flatMap((name) => files.get(name) ?? []);

  const ways: [name: string, way: Way][] = [['words', {}]];
  if (questions.some(({ variants }) => variants.length > 0))
    ways.push(['words, and in other words', { variants: true }]);
  const similarities = createSimilarities();
  if (similarities) ways.push([`words and ${process.env.EMBEDDING_MODEL}`, { similarities }]);

  const rows: string[][] = [];
  for (const [name, way] of ways) {
    const row = [name];
    for (const share of Object.values(FILES_SHARE)) {
      const found: number[] = [];
      for (const asked of questions) {
        const given = await select(asked, own(asked), { ...way, room: share * CONTEXT_TOKENS });
        found.push(shareOf(asked, given.places));
      }
      row.push(percent(mean(found)));
    }
    rows.push(row);
  }
  printTitle(`retrieval: ${questions.length} questions, ${files.size} files`);
  printTable(['pages with the answer', ...Object.keys(FILES_SHARE)], rows);
  printTable(['passages are given', 'own files', 'another file'], await reasons(questions, files));
}

async function select(
  { question: message, variants }: PageQuestion,
  files: readonly OpenFile[],
  { room, ...way }: Way & { room: number },
) {
  const { similarities } = way;
  const cosines =
    similarities &&
    (await Promise.all(files.map(({ index, pages }) => similarities(message, index, pages))));
  const { reason, passages } = await selectPassages({
    indexes: files.map(({ index }) => index),
    message,
    previous: '',
    ofMessage: [],
    rephrase: async () => (way.variants ? variants : []),
    ...(cosines && { similarities: cosines }),
    room,
  });
  const places = passages.map(({ file, passage }) => `${files[file]?.name}:${passage.page}`);
  return { reason, places: new Set(places) };
}

function shareOf({ evidence }: PageQuestion, places: ReadonlySet<string>): number {
  const pages = new Set(evidence.map(({ file, page }) => `${file}:${page}`));
  return [...pages].filter((page) => places.has(page)).length / pages.size;
}

/** Why passages are given of the own files of a question, and of the file that follows in the folder. */
async function reasons(questions: PageQuestion[], files: ReadonlyMap<string, OpenFile>) {
  const all = [...files.values()];
  const room = FILES_SHARE.balanced * CONTEXT_TOKENS;
  const counts = { own: new Map<Reason, number>(), other: new Map<Reason, number>() };
  for (const asked of questions) {
    const names = new Set(asked.files);
    const next = all.findLastIndex(({ name }) => names.has(name)) + 1;
    const other = all[next % all.length];
    const own = all.filter(({ name }) => names.has(name));
    for (const [where, some] of [
      ['own', own],
      ['other', other ? [other] : []],
    ] as const) {
      const { reason } = await select(asked, some, { room });
      counts[where].set(reason, (counts[where].get(reason) ?? 0) + 1);
    }
  }
  const shown = (count = 0) => percent(count / questions.length);
  return [...new Set([...counts.own.keys(), ...counts.other.keys()])].map((reason) => [
    reason,
    shown(counts.own.get(reason)),
    shown(counts.other.get(reason)),
  ]);
}
