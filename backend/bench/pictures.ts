/**
 * Benchmark `pictures`: the time to get the picture of page 37, first without a drawing process (cold), then another page of the same file
 * (warm), in PDFs of 60 and 300 pages. `npm run bench -- pictures`
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { createFileReader } from '../src/reading/index.ts';
import { makePdf } from '../test/documents.ts';
import { ms, p50 } from './lib/quantiles.ts';
import { describeMachine, printTable, printVerdicts } from './lib/report.ts';

const ROUNDS = 7;
const PAGE = 37;
const WIDTH = 1_200;
const COLD_MS = 1_000;
const WARM_MS = 150;

const LINE = 'The tenant pays the rent of May on the fifteenth day of the month to the landlord.';
const page = (n: number) =>
  Array.from({ length: 36 }, (_, line) => `${n}.${line} ${LINE}`).join('\n');

const newReader = () =>
  createFileReader({
    languages: ['deu', 'eng'],
    concurrency: 2,
    script: path.resolve('backend/dist/read-file.js'),
  });

async function timed(run: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await run();
  return performance.now() - before;
}

async function measure(file: { path: string; name: string }) {
  const cold: number[] = [];
  const warm: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const reader = newReader();
    const draw = (n: number) => timed(() => reader.renderPage({ ...file, n, width: WIDTH }));
    cold.push(await draw(PAGE));
    warm.push(await draw(PAGE + 1));
  }
  return { name: file.name, cold, warm };
}

const folder = await mkdtemp(path.join(tmpdir(), 'stolas-bench-pictures-'));
try {
  const results: Awaited<ReturnType<typeof measure>>[] = [];
  for (const count of [60, 300]) {
    const name = `${count} pages.pdf`;
    const file = { path: path.join(folder, name), name };
    const pages = Array.from({ length: count }, (_, n) => page(n + 1));
    await writeFile(file.path, await makePdf({ pages }));
    results.push(await measure(file));
  }
  console.log(
    `pictures: page ${PAGE}, ${WIDTH} px, median of ${ROUNDS}\n${describeMachine()}, load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  printTable(
    ['file', 'cold', 'slowest', 'warm', 'slowest'],
    results.map(({ name, cold, warm }) => [
      name,
      ms(p50(cold)),
      ms(Math.max(...cold)),
      ms(p50(warm)),
      ms(Math.max(...warm)),
    ]),
  );
  const worst = (times: (result: (typeof results)[number]) => number[]) =>
    Math.max(...results.map((result) => p50(times(result))));
  const verdict = (promise: string, measured: number, limit: number) => ({
    promise: `${promise} ≤ ${ms(limit)}`,
    measured: ms(measured),
    kept: measured <= limit,
  });
  printVerdicts([
    verdict(
      'the first picture of a file',
      worst(({ cold }) => cold),
      COLD_MS,
    ),
    verdict(
      'the next picture of it',
      worst(({ warm }) => warm),
      WARM_MS,
    ),
  ]);
} finally {
  await rm(folder, { recursive: true, force: true });
}
