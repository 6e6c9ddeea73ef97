/**
 * Benchmark `retrieval`: how much of the text that answers a question is among the passages that it finds.
 * `npm run bench -- retrieval --data <folder>`, a folder in the format of brandonstarxel/chunking_evaluation.
 */
import { parseArgs } from 'node:util';
import { type FileIndex, indexFile } from '../src/features/files/retrieval/file-index.ts';
import { readQuestion } from '../src/features/files/retrieval/query.ts';
import { rank } from '../src/features/files/retrieval/ranking.ts';
import { describeMachine, printTable, printVerdicts } from './lib/report.ts';
import { readSpanQuestions, type SpanQuestion } from './lib/span-questions.ts';

const { values } = parseArgs({ options: { data: { type: 'string' } } });
if (!values.data) throw new Error('Usage: npm run bench -- retrieval --data <folder>');
const { documents, questions } = readSpanQuestions(values.data);

const indexes = new Map<string, FileIndex>();
for (const [name, text] of documents) indexes.set(name, await indexFile([{ n: 1, text }]));

const search = (question: string, files: FileIndex[]) =>
  rank(files, readQuestion({ message: question, previous: '', hasFiles: false }).query);

/** Share of the characters of the answer's spans that the best `count` passages contain. */
function recall({ question, document, spans }: SpanQuestion, count: number): number {
  const index = indexes.get(document) as FileIndex;
  const best = search(question, [index]).passages.slice(0, count);
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
printVerdicts([
  { promise: 'recall of characters at 5 ≥ 0.92', measured: at5.toFixed(3), kept: at5 >= 0.92 },
  { promise: 'recall of characters at 10 ≥ 0.96', measured: at10.toFixed(3), kept: at10 >= 0.96 },
]);
