/**
 * Benchmark `idle`: what open tabs cost that nobody uses: memory and CPU time of the web process, and reads of the database.
 * `npm run bench -- idle [tabs]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { inspectHeap } from '../test/inspector.ts';
import { pidsOf, usageOf } from './lib/processes.ts';
import { arrive } from './lib/receivers.ts';
import { atMost, inUnit, printTitle, printVerdicts } from './lib/report.ts';
import { startWatchedProduct } from './lib/watched-product.ts';

const SECONDS = 30;
const SETTLE_MS = 10_000;
const INSPECTOR = 'http://127.0.0.1:9229/json';
/** Tabs that are open before the measured ones. */
const FIRST = 500;

async function measure() {
  const tabs = Number(process.argv[2] ?? 4_000);
  const { product, commands, stop } = await startWatchedProduct();
  const readHeap = await openInspector('web.js');
  const during = async () => {
    const [before, { reads }] = [usageOf('web.js'), commands()];
    await sleep(SECONDS * 1_000);
    const cpuMs = usageOf('web.js').cpuMs - before.cpuMs;
    return { cpuMs, reads: commands().reads - reads, heapBytes: await readHeap() };
  };
  try {
    // Compiles the code, and lets the heap grow to the size that connecting needs.
    const first = await open(product.url, FIRST);
    await sleep(SETTLE_MS);
    const few = await during();
    const opened = await open(product.url, tabs);
    await sleep(SETTLE_MS);
    const many = await during();
    for (const { socket } of [...first, ...opened]) socket.disconnect();
    const share = (many.cpuMs - few.cpuMs) / (SECONDS * 10) / (tabs / 1_000);
    const memory = (many.heapBytes - few.heapBytes) / 1_024 / tabs;
    const reads = many.reads - few.reads;
    printTitle(`idle: ${tabs} tabs, ${SECONDS} s`);
    printVerdicts([
      atMost('a tab', memory, 12, inUnit(' KB')),
      atMost('1,000 tabs', share, 0.8, inUnit('% of a core', 2)),
      atMost(
        `reads of the database in ${SECONDS} s beside those of sweeps (${few.reads})`,
        reads,
        0,
        String,
      ),
    ]);
  } finally {
    await stop();
  }
}

/** Node opens its inspector on this signal. */
async function openInspector(name: string) {
  for (const pid of pidsOf(name)) process.kill(pid, 'SIGUSR1');
  for (;;) {
    try {
      const targets = (await (await fetch(INSPECTOR)).json()) as { webSocketDebuggerUrl: string }[];
      return await inspectHeap(targets[0]?.webSocketDebuggerUrl ?? '');
    } catch {
      await sleep(100);
    }
  }
}

async function open(url: string, tabs: number) {
  const opened: Awaited<ReturnType<typeof arrive>>[] = [];
  for (let n = 0; n < tabs; n += 1) opened.push(await arrive(url));
  return opened;
}

await measure();
