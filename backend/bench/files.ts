/**
 * Benchmark `files`: reading files in child processes: the time until the text of a PDF is there, the memory of the child, and how
 * long the event loop of the reading process is held while 50 files are read. `npm run bench -- files`
 */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createFileReader } from '../src/reading/index.ts';
import { makeDocx, makePdf, makeXlsx } from '../test/documents.ts';
import { ms, p50 } from './lib/quantiles.ts';
import { describeMachine, printTable, printVerdicts } from './lib/report.ts';

const ROUNDS = 5;
const LIMIT_MS = 3_000;
const LIMIT_MEMORY_MB = 600;
const LIMIT_LOOP_MS = 150;
const MANY = 50;
const WATCH_EVERY_MS = 20;

const LINE = 'The tenant pays the rent of May on the fifteenth day of the month to the landlord.';
const page = (n: number) =>
  Array.from({ length: 36 }, (_, line) => `${n}.${line} ${LINE}`).join('\n');

const reader = createFileReader({
  ocr: false,
  concurrency: 2,
  script: path.resolve('backend/dist/read-file.js'),
});

/** Peak resident memory of the children of this process in MB, as Linux tells it. */
function watchMemory() {
  let peak = 0;
  const look = () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        if (Number(/PPid:\s+(\d+)/.exec(status)?.[1]) !== process.pid) continue;
        peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
      } catch {
        // It has ended in between.
      }
    }
  };
  const timer = setInterval(look, WATCH_EVERY_MS);
  return () => {
    clearInterval(timer);
    return Math.round(peak);
  };
}

async function measure(file: { path: string; name: string }) {
  const times: number[] = [];
  const stop = watchMemory();
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = performance.now();
    await reader.read(file);
    times.push(performance.now() - before);
  }
  return { name: file.name, median: p50(times), slowest: Math.max(...times), memory: stop() };
}

async function readMany(files: { path: string; name: string }[]) {
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const before = performance.now();
  await Promise.all(
    Array.from({ length: MANY }, (_, at) =>
      reader.read(files[at % files.length] as (typeof files)[number]),
    ),
  );
  loop.disable();
  return { seconds: (performance.now() - before) / 1_000, p95: loop.percentile(95) / 1e6 };
}

const machine = describeMachine();
const folder = await mkdtemp(path.join(tmpdir(), 'stolas-bench-files-'));
try {
  const put = async (name: string, bytes: Uint8Array) => {
    await writeFile(path.join(folder, name), bytes);
    return { path: path.join(folder, name), name };
  };
  const pages = Array.from({ length: 300 }, (_, n) => page(n + 1));
  const rows = Array.from({ length: 20_000 }, (_, n) => [`Item ${n}`, n, n * 2, 'in stock']);
  const files = [
    await put('300 pages.pdf', await makePdf({ pages })),
    await put('300 pages.docx', await makeDocx(pages)),
    await put('20,000 rows.xlsx', await makeXlsx({ Stock: rows })),
    await put('1 MB.txt', Buffer.from(pages.join('\n'))),
  ];
  const results = [];
  for (const file of files) results.push(await measure(file));
  const many = await readMany(files);

  console.log(`files: reading in child processes, median of ${ROUNDS}\n${machine}\n`);
  printTable(
    ['file', 'median', 'slowest', 'memory of the child'],
    results.map((row) => [row.name, ms(row.median), ms(row.slowest), `${row.memory} MB`]),
  );
  const [pdf] = results;
  const memory = Math.max(...results.map((row) => row.memory));
  printVerdicts([
    {
      promise: `300 pages of PDF ≤ ${LIMIT_MS / 1_000} s`,
      measured: ms(pdf?.median ?? Number.NaN),
      kept: (pdf?.median ?? Number.NaN) <= LIMIT_MS,
    },
    {
      promise: `no child above ${LIMIT_MEMORY_MB} MB`,
      measured: `${memory} MB`,
      kept: memory <= LIMIT_MEMORY_MB,
    },
    {
      promise: `${MANY} files at once hold the event loop ≤ ${LIMIT_LOOP_MS} ms (p95)`,
      measured: `${ms(many.p95)}, all read in ${many.seconds.toFixed(1)} s`,
      kept: many.p95 <= LIMIT_LOOP_MS,
    },
  ]);
} finally {
  await rm(folder, { recursive: true, force: true });
}
