/**
 * Benchmark `files`: reading files in child processes: the time until the text of a PDF is stored, the memory of the child, the longest
 * block of the reading process's event loop while 50 files are read, and the delay of replies meanwhile. `npm run bench -- files`, or
 * `npm run bench -- files --data <folder>` for all files of a folder: what is read of each type, the PDF pages a CPU second and the memory.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makeDocx, makePdf, makeXlsx } from '../test/documents.ts';
import { visitor } from '../test/visitor.ts';
import { measureInChild, runReceivers } from './lib/in-child.ts';
import { watchMemory } from './lib/processes.ts';
import { ms, p50, p95, timed } from './lib/quantiles.ts';
import { readFolder } from './lib/read-folder.ts';
import { atMost, delayRow, inUnit, printTable, printTitle, printVerdicts } from './lib/report.ts';
import { startStampedProduct } from './lib/stamped-product.ts';
import { newReader, page } from './lib/tenancy.ts';

const ROUNDS = 5;
const LIMIT_MS = 3_000;
const LIMIT_MEMORY_MB = 600;
const LIMIT_LOOP_MS = 150;
const MANY = 50;
const LIMIT_RELAY_MS = 150;
/** Replies that stream while the files are read: 20 s. */
const LOAD = { replies: 20, chunks: 500 };

const reader = newReader();

async function measure(file: { path: string; name: string }) {
  const times: number[] = [];
  const stop = watchMemory();
  for (let round = 0; round < ROUNDS; round += 1) times.push(await timed(() => reader.read(file)));
  return { name: file.name, median: p50(times), slowest: Math.max(...times), memory: stop() };
}

async function readMany(files: { path: string; name: string }[]) {
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const many = Array.from(
    { length: MANY },
    (_, at) => files[at % files.length] as (typeof files)[number],
  );
  const time = await timed(() => Promise.all(many.map((file) => reader.read(file))));
  loop.disable();
  return { seconds: time / 1_000, p95: loop.percentile(95) / 1e6 };
}

/** The delays of replies at the sockets of a product that reads `pdf` this many times meanwhile. */
async function relayWhile(pdf: Buffer, times: number) {
  const { provider, product, stop } = await startStampedProduct();
  try {
    const upload = async (n: number) => {
      const guest = await visitor(product.url).guest();
      await guest.upload(`${n}.pdf`, pdf, 'chat');
    };
    const receiving = measureInChild('receivers', product.url, LOAD);
    // The uploads begin with the replies; from then on the files are read one after the other.
    while (provider.arrivals.length === 0) await sleep(20);
    for (let n = 0; n < times; n += 1) await upload(n);
    const { delays } = await receiving;
    return delays;
  } finally {
    await stop();
  }
}

if (process.argv[2] === 'receivers') {
  await runReceivers();
  await once(process, 'exit');
}

const { values } = parseArgs({ options: { data: { type: 'string' } } });
if (values.data) {
  await readFolder(reader, values.data);
  // Printed verdicts have set the exit code.
  process.exit();
}

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
  const pdfBytes = await makePdf({ pages: pages.slice(0, 100) });
  const alone = await relayWhile(pdfBytes, 0);
  const relayed = await relayWhile(pdfBytes, MANY);

  printTitle(`files: reading in child processes, median of ${ROUNDS}`);
  printTable(
    ['file', 'median', 'slowest', 'memory of the child'],
    results.map((row) => [row.name, ms(row.median), ms(row.slowest), `${row.memory} MB`]),
  );
  printTable(
    [`${LOAD.replies} replies, from the provider to the socket`, 'p50', 'p95'],
    [
      delayRow(`while ${MANY} PDFs of 100 pages are uploaded and read`, relayed),
      delayRow('baseline: without files', alone),
    ],
  );
  const [pdf] = results;
  const memory = Math.max(...results.map((row) => row.memory));
  printVerdicts([
    atMost('300 pages of PDF', pdf?.median ?? Number.NaN, LIMIT_MS),
    atMost('memory of a child', memory, LIMIT_MEMORY_MB, inUnit(' MB', 0)),
    atMost(
      `${MANY} files at once, read in ${many.seconds.toFixed(1)} s, hold the event loop (p95)`,
      many.p95,
      LIMIT_LOOP_MS,
    ),
    atMost(`relay while ${MANY} files are read: p95`, p95(relayed), LIMIT_RELAY_MS),
  ]);
} finally {
  await rm(folder, { recursive: true, force: true });
}
