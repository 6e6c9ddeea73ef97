/**
 * Benchmark `idle`: what open tabs cost that nobody uses: memory and CPU time of the web process, and reads of the database.
 * `npm run bench -- idle [tabs]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { usageOf } from './lib/processes.ts';
import { arrive } from './lib/receivers.ts';
import { describeMachine, printVerdicts } from './lib/report.ts';
import { startWatchedProduct } from './lib/watched-product.ts';

const SECONDS = 30;
const SETTLE_MS = 10_000;

async function measure() {
  const tabs = Number(process.argv[2] ?? 1_000);
  const machine = describeMachine();
  const { product, commands, stop } = await startWatchedProduct({ OPENAI_API_KEY: 'not-used' });
  const readsIn = async (seconds: number) => {
    const before = commands().reads;
    await sleep(seconds * 1_000);
    return commands().reads - before;
  };
  try {
    // Compiles the code, and lets the heap grow to the size that connecting needs.
    const first = await open(product.url, tabs);
    for (const { socket } of first) socket.disconnect();
    await sleep(SETTLE_MS);
    const empty = usageOf('web.js');
    const ofSweeps = await readsIn(SECONDS);
    const opened = await open(product.url, tabs);
    await sleep(SETTLE_MS);
    const before = usageOf('web.js');
    const reads = (await readsIn(SECONDS)) - ofSweeps;
    const after = usageOf('web.js');
    for (const { socket } of opened) socket.disconnect();
    const share = (after.cpuMs - before.cpuMs) / (SECONDS * 10) / (tabs / 1_000);
    const memory = (after.rssKb - empty.rssKb) / tabs;
    console.log(`\nidle: ${tabs} tabs, ${SECONDS} s\n${machine}`);
    printVerdicts([
      { promise: 'a tab ≤ 12 KB', measured: `${memory.toFixed(1)} KB`, kept: memory <= 12 },
      {
        promise: '1,000 tabs ≤ 0.8% of a core',
        measured: `${share.toFixed(2)}%`,
        kept: share <= 0.8,
      },
      {
        promise: `no reads of the database in ${SECONDS} s beside those of sweeps (${ofSweeps})`,
        measured: String(reads),
        kept: reads <= 0,
      },
    ]);
  } finally {
    await stop();
  }
}

async function open(url: string, tabs: number) {
  const opened: Awaited<ReturnType<typeof arrive>>[] = [];
  for (let n = 0; n < tabs; n += 1) opened.push(await arrive(url));
  return opened;
}

await measure();
