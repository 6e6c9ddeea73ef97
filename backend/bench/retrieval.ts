/**
 * Benchmark `retrieval`: what of a question's answer is in the passages that are found. `npm run bench -- retrieval --data <folder>`, a
 * folder in the format of brandonstarxel/chunking_evaluation, or with pages as evidence (docs/performance.md). With EMBEDDING_MODEL,
 * EMBEDDING_BASE_URL and EMBEDDING_API_KEY set, also for the ranking by words and meaning together.
 */
import { parseArgs } from 'node:util';
import { hasPageQuestions } from './lib/page-questions.ts';
import { measurePages } from './lib/page-recall.ts';
import { measureSpans } from './lib/span-recall.ts';

const { values } = parseArgs({ options: { data: { type: 'string' } } });
if (!values.data) throw new Error('Usage: npm run bench -- retrieval --data <folder>');
await (hasPageQuestions(values.data) ? measurePages(values.data) : measureSpans(values.data));
