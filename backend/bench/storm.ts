/**
 * Benchmark `storm`: Redis is killed and restarted while many tabs are open. How long until each tab is up to date again, what that costs the web
 * process, and how long sends take meanwhile. `npm run bench -- storm [tabs [--read-all]]`
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { forkRole } from './lib/in-child.ts';
import { pidsOf, usageOf } from './lib/processes.ts';
import { p95 } from './lib/quantiles.ts';
import { arrive } from './lib/receivers.ts';
import { atMost, inUnit, printTitle, printVerdicts } from './lib/report.ts';
import { startStampedProduct } from './lib/stamped-product.ts';

/** As if each tab had missed something. */
const READ_ALL = '--read-all';
const SETTLE_MS = 10_000;
const MAX_BACK_MS = 120_000;
const SENDERS = 100;
const SEND_EVERY_MS = 100;
/** Also when all tabs are back sooner. */
const MIN_SENDS = 20;
const BUDGETS = { backMs: 30_000, cpuSeconds: 0.7, sendMs: 1_000 };

async function measure() {
  const [count = '5000', flags = ''] = process.argv.slice(2);
  const tabs = Number(count);
  const { product, stop } = await startStampedProduct();
  const { child, measured: opened } = forkRole('tabs', product.url, String(tabs), flags);
  try {
    await opened;
    const senders = [];
    for (let n = 0; n < SENDERS; n += 1) senders.push(await arrive(product.url));
    await sleep(SETTLE_MS);
    const before = usageOf('web.js').cpuMs;
    for (const pid of pidsOf('redis-server')) process.kill(pid, 'SIGKILL');
    const cutAt = Date.now();
    const back = once(child, 'message') as Promise<[{ missing: number }]>;
    const sent = await sendUntil(back, senders);
    const [{ missing }] = await back;
    const backMs = Date.now() - cutAt;
    const cpu = (usageOf('web.js').cpuMs - before) / tabs;
    for (const { socket } of senders) socket.disconnect();
    printTitle(`storm: ${tabs} tabs, ${sent.length} sends meanwhile`);
    printVerdicts([
      atMost('tabs that are not up to date', missing, 0, String),
      atMost('until the tabs are up to date', backMs, BUDGETS.backMs),
      atMost('CPU of the web process for 1,000 tabs', cpu, BUDGETS.cpuSeconds, inUnit(' s', 2)),
      atMost('p95 of a send, once Redis answers', p95(sent), BUDGETS.sendMs),
    ]);
  } finally {
    child.kill();
    await stop();
  }
}

/** Times of the sends after the first one that Redis let pass. */
async function sendUntil(
  end: Promise<unknown>,
  senders: Awaited<ReturnType<typeof arrive>>[],
): Promise<number[]> {
  let isOver = false;
  const over = async () => {
    await end;
    isOver = true;
  };
  void over();
  const [first, ...others] = senders;
  await first?.send('chunks=1');
  const sending: Promise<number>[] = [];
  for (const { send } of others) {
    const begunAt = performance.now();
    sending.push(send('chunks=1').then(() => performance.now() - begunAt));
    await sleep(SEND_EVERY_MS);
    if (isOver && sending.length >= MIN_SENDS) break;
  }
  return Promise.all(sending);
}

/** Open tabs. They say when all are open, and when each has read again what it shows. */
async function openTabs(url: string, count: number, readsAll: boolean) {
  let waiting = count;
  const report = () => process.send?.({ missing: waiting });
  for (let n = 0; n < count; n += 1) {
    const { socket, joined, read } = await arrive(url);
    const { number: last } = await joined;
    // As the page: with the number of the last event that it has it missed nothing.
    socket.once('gap', async ({ spreadMs, number }: { spreadMs: number; number?: number }) => {
      if (readsAll || number === undefined || number !== last) {
        await sleep(spreadMs * Math.random());
        await read();
      }
      waiting -= 1;
      if (waiting === 0) report();
    });
  }
  report();
  await sleep(MAX_BACK_MS);
  if (waiting > 0) report();
}

const [, , role, url = '', count, flag] = process.argv;
if (role === 'tabs') await openTabs(url, Number(count), flag === READ_ALL);
else await measure();
