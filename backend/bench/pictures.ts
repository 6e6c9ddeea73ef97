/**
 * Benchmark `pictures`: the time to get the picture of page 37, first without a drawing process (cold), then another page of the same file
 * (warm), in PDFs of 60 and 300 pages. `npm run bench -- pictures`
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makePdf } from '../test/documents.ts';
import { ms, p50, timed } from './lib/quantiles.ts';
import { atMost, printTable, printTitle, printVerdicts } from './lib/report.ts';
import { newReader, page } from './lib/tenancy.ts';

const ROUNDS = 7;
const PAGE = 37;
const WIDTH = 1_200;
const COLD_MS = 1_000;
const WARM_MS = 150;

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
  printTitle(`pictures: page ${PAGE}, ${WIDTH} px, median of ${ROUNDS}`);
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
  const [cold, warm] = [worst((result) => result.cold), worst((result) => result.warm)];
  printVerdicts([
    atMost('the first picture of a file', cold, COLD_MS),
    atMost('the next picture of it', warm, WARM_MS),
  ]);
} finally {
  await rm(folder, { recursive: true, force: true });
}
