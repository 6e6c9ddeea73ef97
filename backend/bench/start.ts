/**
 * Benchmark `start`: the time from Enter in the page to the request at the provider, for the first message of a conversation and for later
 * ones, and the work of the page's main thread for a whole send, a short reply included, below some messages. The baseline calls the provider
 * directly. `npm run bench -- start`
 */
import type { Page } from 'playwright-core';
import { ask, type Bench, devtoolsOf, pageMetrics, withProduct } from './lib/product-page.ts';
import { p50 } from './lib/quantiles.ts';
import { atMost, delayRow, printTable, printTitle, printVerdicts } from './lib/report.ts';
import { clock } from './lib/stamped-provider.ts';

const ROUNDS = 20;
const LIMIT_FIRST_MS = 40;
const LIMIT_LATER_MS = 30;
const MESSAGE = 'chunks=3';

/** Runs in the page: records when Enter was pressed. */
const WATCH_ENTER = `
  window.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') window.enteredAt = performance.timeOrigin + performance.now();
  }, { capture: true });
`;

/** From Enter to the provider, in ms; returns when the reply is complete. */
async function send(page: Page, { provider }: Bench): Promise<number> {
  const former = provider.arrivals.length;
  await ask(page, MESSAGE);
  const enteredAt = await page.evaluate<number>('window.enteredAt');
  const arrivedAt = provider.arrivals[former];
  if (arrivedAt === undefined) throw new Error('The provider was not asked.');
  return arrivedAt - enteredAt;
}

/** The main thread's tasks while a further message is sent and answered, in ms. */
async function workOfSend(page: Page, bench: Bench): Promise<number[]> {
  const devtools = await devtoolsOf(page);
  const work: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await pageMetrics(devtools);
    await send(page, bench);
    work.push(1_000 * ((await pageMetrics(devtools)).taskSeconds - before.taskSeconds));
  }
  return work;
}

async function callDirectly({ provider }: Bench): Promise<number> {
  const former = provider.arrivals.length;
  const body = JSON.stringify({ messages: [{ role: 'user', content: MESSAGE }] });
  const calledAt = clock();
  await (await fetch(`${provider.url}/chat/completions`, { method: 'POST', body })).text();
  return (provider.arrivals[former] ?? Number.NaN) - calledAt;
}

const { first, later, floor, work } = await withProduct(async (bench) => {
  const page = await bench.visitor.open('/?c=new');
  await page.evaluate(WATCH_ENTER);
  const delays = { first: [] as number[], later: [] as number[], floor: [] as number[] };
  // The first send also includes what every process loads once.
  await send(page, bench);
  await send(page, bench);
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.getByRole('button', { name: 'New Chat' }).first().click();
    await page.waitForURL(/c=new/);
    delays.first.push(await send(page, bench));
    delays.later.push(await send(page, bench));
    delays.floor.push(await callDirectly(bench));
  }
  return { ...delays, work: await workOfSend(page, bench) };
});

printTitle('start: from Enter to the request at the provider');
const row = (name: string, delays: number[]) => delayRow(name, delays, delays.length);
printTable(
  ['measured', 'p50', 'p95', 'samples'],
  [
    row('Enter to the provider, first message', first),
    row('Enter to the provider, later messages', later),
    row('floor: a call from this process', floor),
    row('main thread, a message with its reply', work),
  ],
);
printVerdicts([
  atMost('first message: p50', p50(first), LIMIT_FIRST_MS),
  atMost('later messages: p50', p50(later), LIMIT_LATER_MS),
]);
