/**
 * Benchmark `retrieval`: the share of a question's answer text in the found passages. `npm run bench -- retrieval --data <folder>`, a
 * folder in the format of brandonstarxel/chunking_evaluation. With EMBEDDING_MODEL, EMBEDDING_BASE_URL and EMBEDDING_API_KEY set, also for
 * the ranking by words and meaning together.
 */
import { parseArgs } from 'node:util';
import { type FileIndex, indexFile } from '../src/features/files/retrieval/file-index.ts';
import { fuse } from '../src/features/files/retrieval/fusion.ts';
import {
  cosinesOf,
  decodeVectors,
  encodeVectors,
  type FileVectors,
} from '../src/features/files/vectors/file-vectors.ts';
import { createOpenAiEmbedder } from '../src/llm/index.ts';
import { readQuestion } from '../src/text/ranking/question.ts';
import { type RankedPassage, rank } from '../src/text/ranking/rank.ts';
import { describeMachine, printTable, printVerdicts } from './lib/report.ts';
import { readSpanQuestions, type SpanQuestion } from './lib/span-questions.ts';

const { values } = parseArgs({ options: { data: { type: 'string' } } });
if (!values.data) throw new Error('Usage: npm run bench -- retrieval --data <folder>');
const { documents, questions } = readSpanQuestions(values.data);

const indexes = new Map<string, FileIndex>();
for (const [name, text] of documents) indexes.set(name, await indexFile([{ n: 1, text }]));

const embeddings = await embedAll();

const search = (question: string, files: FileIndex[]) =>
  rank(files, readQuestion({ message: question, previous: '', hasFiles: false }).query);

type Rank = (question: SpanQuestion, index: FileIndex) => Pick<RankedPassage, 'passage'>[];

const byWords: Rank = ({ question }, index) => search(question, [index]).passages;
const byBoth: Rank = (asked, index) =>
  fuse(byWords(asked, index) as RankedPassage[], [embeddings?.(asked) ?? null]);

/** Share of the characters of the answer's spans that the best `count` passages contain. */
function recall(asked: SpanQuestion, count: number, ranked: Rank = byWords): number {
  const { document, spans } = asked;
  const index = indexes.get(document) as FileIndex;
  const best = ranked(asked, index).slice(0, count);
  const passages = best.flatMap(({ passage }) => index.passages[passage] ?? []);
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

const mean = (numbers: number[]) => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
const percent = (share: number) => `${(100 * share).toFixed(1)}%`;

const rows = [...documents.keys()].map((name) => {
  const asked = questions.filter(({ document }) => document === name);
  const at = (count: number) => mean(asked.map((question) => recall(question, count))).toFixed(3);
  return [name, indexes.get(name)?.passages.length ?? 0, asked.length, at(5), at(10)];
});
const at5 = mean(questions.map((question) => recall(question, 5)));
const at10 = mean(questions.map((question) => recall(question, 10)));

const coverages = questions.map(({ question, document }) => {
  const own = indexes.get(document) as FileIndex;
  const others = [...indexes.values()].filter((index) => index !== own);
  return {
    own: search(question, [own]).coverage,
    others: others.map((index) => search(question, [index]).coverage),
  };
});

console.log(`retrieval: ${questions.length} questions\n${describeMachine()}\n`);
printTable(['document', 'passages', 'questions', 'recall at 5', 'at 10'], rows);
console.log('');
printTable(
  ['coverage below', 'own document', 'another document'],
  [0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5].map((threshold) => [
    threshold,
    percent(mean(coverages.map(({ own }) => Number(own < threshold)))),
    percent(mean(coverages.flatMap(({ others }) => others.map((c) => Number(c < threshold))))),
  ]),
);
if (embeddings) {
  const atBoth = (count: number) => mean(questions.map((asked) => recall(asked, count, byBoth)));
  console.log('');
  printTable(
    ['ranking', 'recall at 5', 'at 10'],
    [
      ['words', at5.toFixed(3), at10.toFixed(3)],
      [`words and ${process.env.EMBEDDING_MODEL}`, atBoth(5).toFixed(3), atBoth(10).toFixed(3)],
    ],
  );
}
printVerdicts([
  { promise: 'recall of characters at 5 ≥ 0.92', measured: at5.toFixed(3), kept: at5 >= 0.92 },
  { promise: 'recall of characters at 10 ≥ 0.96', measured: at10.toFixed(3), kept: at10 >= 0.96 },
]);

/** Computes the vectors of all passages and questions. @returns the cosines of a question with its document's passages */
async function embedAll() {
  const { EMBEDDING_MODEL: model, EMBEDDING_BASE_URL: baseUrl, EMBEDDING_API_KEY } = process.env;
  if (!model || !baseUrl) return undefined;
  const embedder = createOpenAiEmbedder({ model, baseUrl, apiKey: EMBEDDING_API_KEY ?? 'none' });
  const embed = async (texts: string[]) => {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += 32)
      vectors.push(
        ...(await embedder.embed(texts.slice(at, at + 32), AbortSignal.timeout(60_000))),
      );
    return vectors;
  };
  const ofDocuments = new Map<string, FileVectors>();
  for (const [name, index] of indexes) {
    const text = documents.get(name) ?? '';
    const vectors = await embed(index.passages.map(({ start, end }) => text.slice(start, end)));
    const stored = decodeVectors(encodeVectors(vectors, name), name);
    if (stored) ofDocuments.set(name, stored);
  }
  const ofQuestions = await embed(questions.map(({ question }) => question));
  return (asked: SpanQuestion) => {
    const [vectors, question] = [
      ofDocuments.get(asked.document),
      ofQuestions[questions.indexOf(asked)],
    ];
    return vectors && question ? cosinesOf(vectors, question) : null;
  };
}
