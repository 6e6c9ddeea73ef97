import { type FileIndex, indexFile } from '../../src/features/files/retrieval/file-index.ts';
import { fuse } from '../../src/features/files/retrieval/fusion.ts';
import { readQuestion } from '../../src/text/ranking/question.ts';
import { rank } from '../../src/text/ranking/rank.ts';
import { createSimilarities } from './embeddings.ts';
import { mean, percent, printTable, printTitle, printVerdicts } from './report.ts';
import { readSpanQuestions, type SpanQuestion } from './span-questions.ts';

interface Document {
  text: string;
  index: FileIndex;
}

/** Prints the share of the answers' characters in the best passages of their documents, and what the gate refuses. */
export async function measureSpans(folder: string): Promise<void> {
  const { documents: texts, questions } = readSpanQuestions(folder);
  const documents = new Map<string, Document>();
  for (const [name, text] of texts)
    documents.set(name, { text, index: await indexFile([{ n: 1, text }]) });
  const documentOf = ({ document }: SpanQuestion) => documents.get(document) as Document;
  const similarities = createSimilarities();

  const recallOf = async (some: readonly SpanQuestion[], count: number, withMeaning = false) => {
    const shares: number[] = [];
    for (const asked of some) {
      const { index, text } = documentOf(asked);
      const { passages } = await search(asked.question, index);
      const cosines =
        withMeaning && (await similarities?.(asked.question, index, [{ n: 1, text }]));
      const ranked = cosines ? fuse(passages, [cosines]) : passages;
      const best = ranked.slice(0, count).flatMap(({ passage }) => index.passages[passage] ?? []);
      shares.push(shareOf(asked, best));
    }
    return mean(shares);
  };

  const rows: (string | number)[][] = [];
  for (const [name, { index }] of documents) {
    const some = questions.filter(({ document }) => document === name);
    const [five, ten] = [await recallOf(some, 5), await recallOf(some, 10)];
    rows.push([name, index.passages.length, some.length, five.toFixed(3), ten.toFixed(3)]);
  }
  printTitle(`retrieval: ${questions.length} questions`);
  printTable(['document', 'passages', 'questions', 'recall at 5', 'at 10'], rows);
  await printCoverages(questions, documents);
  const [at5, at10] = [await recallOf(questions, 5), await recallOf(questions, 10)];
  if (similarities) {
    const both = [await recallOf(questions, 5, true), await recallOf(questions, 10, true)];
    printTable(
      ['ranking', 'recall at 5', 'at 10'],
      [
        ['words', at5.toFixed(3), at10.toFixed(3)],
        [`words and ${process.env.EMBEDDING_MODEL}`, ...both.map((share) => share.toFixed(3))],
      ],
    );
  }
  printVerdicts([
    { promise: 'recall of characters at 5 ≥ 0.92', measured: at5.toFixed(3), kept: at5 >= 0.92 },
    { promise: 'recall of characters at 10 ≥ 0.96', measured: at10.toFixed(3), kept: at10 >= 0.96 },
  ]);
}

const search = (question: string, index: FileIndex) =>
  rank([index], readQuestion({ message: question, previous: '', hasFiles: false }).query);

/** Share of the characters of the answer's spans that the passages contain. */
function shareOf({ spans }: SpanQuestion, passages: readonly { start: number; end: number }[]) {
  let all = 0;
  let found = 0;
  for (const { start, end } of spans) {
    for (let at = start; at < end; at += 1) {
      all += 1;
      if (passages.some((passage) => passage.start <= at && at < passage.end)) found += 1;
    }
  }
  return found / all;
}

async function printCoverages(
  questions: readonly SpanQuestion[],
  documents: ReadonlyMap<string, Document>,
): Promise<void> {
  const coverages = await Promise.all(
    questions.map(async ({ question, document }) => {
      const of = (isOwn: boolean) =>
        Promise.all(
          [...documents]
            .filter(([name]) => (name === document) === isOwn)
            .map(async ([, { index }]) => (await search(question, index)).coverage),
        );
      return { own: await of(true), others: await of(false) };
    }),
  );
  const below = (threshold: number, where: 'own' | 'others') =>
    percent(mean(coverages.flatMap((one) => one[where].map((c) => Number(c < threshold)))));
  printTable(
    ['coverage below', 'own document', 'another document'],
    [0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5].map((threshold) => [
      threshold,
      below(threshold, 'own'),
      below(threshold, 'others'),
    ]),
  );
}
