/**
 * Benchmark `long`: conversations of 500 and 5,000 messages with replies of 4 KB in the product's page: the time until the last message is
 * visible, heap, elements, typing, scrolling, and one more reply compared with one in an empty conversation. `npm run bench -- long`
 */
import type { CDPSession, Page } from 'playwright-core';
import {
  ask,
  type Bench,
  devtoolsOf,
  pageMetrics,
  sightingsSince,
  takeLongTasks,
  WATCH,
  WATCH_TASKS,
  withProduct,
} from './lib/product-page.ts';
import { ms, p50, p95 } from './lib/quantiles.ts';
import {
  atMost,
  inUnit,
  printTable,
  printTitle,
  printVerdicts,
  type Verdict,
} from './lib/report.ts';
import { seed } from './lib/seed.ts';
import { clock } from './lib/stamped-provider.ts';

const SIZES = [500, 5_000];
const VISIBLE_MS = 400;
const OPENINGS = 5;
const SETTLE_MS = 1_500;
const KEYS = 40;
const CHUNKS = 100;

/** Runs in the page: records when the end of the last reply is in view. */
const WATCH_VISIBLE = `
  const look = () => {
    const last = [...document.querySelectorAll('[data-role=assistant]')].at(-1);
    const box = last?.getBoundingClientRect();
    if (box && last.textContent.length > 1000 && box.bottom > 0 && box.bottom < innerHeight) {
      window.visibleAt = performance.now();
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

interface Result {
  name: string;
  visible: number[];
  /** Milliseconds of main-thread tasks until the last message was visible. */
  work: number[];
  heapMb: number;
  elements: number;
  msPerKey: number;
  scrollTasks: number[];
  relay: number[];
  streamTasks: number[];
}

async function open({ visitor, url }: Bench, conversationId: string) {
  const page = await visitor.context.newPage();
  const devtools = await devtoolsOf(page);
  for (const script of [WATCH, WATCH_TASKS, WATCH_VISIBLE]) await page.addInitScript(script);
  // A new window of Chromium first loads its own pages.
  await page.waitForTimeout(SETTLE_MS);
  await page.goto(`${url}/?c=${conversationId}`);
  return { page, devtools };
}

/** Opens a conversation and waits until its last message is visible. */
async function openTimed(bench: Bench, conversationId: string) {
  const { page, devtools } = await open(bench, conversationId);
  const visible = await visibleAt(page);
  const { taskSeconds } = await pageMetrics(devtools);
  return { page, devtools, visible, work: taskSeconds * 1_000 };
}

async function visibleAt(page: Page): Promise<number> {
  for (let waited = 0; waited < 30_000; waited += 20) {
    const at = await page.evaluate<number | null>('window.visibleAt ?? null');
    if (at !== null) return at;
    await page.waitForTimeout(20);
  }
  throw new Error('The last message did not become visible.');
}

async function typing(page: Page, devtools: CDPSession): Promise<number> {
  const box = page.getByPlaceholder('Message STOLAS...');
  await box.click();
  await box.pressSequentially('abc', { delay: 30 });
  const before = await pageMetrics(devtools);
  await box.pressSequentially('night owls see further '.repeat(2).slice(0, KEYS), { delay: 30 });
  const after = await pageMetrics(devtools);
  await box.fill('');
  return ((after.taskSeconds - before.taskSeconds) * 1_000) / KEYS;
}

async function scrolling(page: Page): Promise<number[]> {
  await takeLongTasks(page);
  await page.mouse.move(800, 400);
  for (const direction of [-1, 1]) {
    for (let n = 0; n < 60; n += 1) {
      await page.mouse.wheel(0, direction * 400);
      await page.waitForTimeout(30);
    }
  }
  await page.waitForTimeout(500);
  return takeLongTasks(page);
}

async function streaming(page: Page) {
  await page
    .getByRole('button', { name: 'Jump to latest' })
    .click({ timeout: 500 })
    .catch(() => {});
  await takeLongTasks(page);
  const since = clock();
  await ask(page, `chunks=${CHUNKS}`);
  const relay = (await sightingsSince(page, since)).map((it) => it.seenAt - it.sentAt);
  if (relay.length !== CHUNKS) throw new Error(`${relay.length} of ${CHUNKS} chunks were seen`);
  return { relay, streamTasks: await takeLongTasks(page) };
}

async function measure(bench: Bench, { name, id }: { name: string; id: string }): Promise<Result> {
  const openings: Pick<Result, 'visible' | 'work'> = { visible: [], work: [] };
  const openOnce = async () => {
    const { page, devtools, visible, work } = await openTimed(bench, id);
    openings.visible.push(visible);
    openings.work.push(work);
    return { page, devtools };
  };
  for (let n = 1; n < OPENINGS; n += 1) await (await openOnce()).page.close();
  const { page, devtools } = await openOnce();
  await page.waitForTimeout(1_000);
  await devtools.send('HeapProfiler.enable');
  await devtools.send('HeapProfiler.collectGarbage');
  const { heapBytes } = await pageMetrics(devtools);
  const elements = await page.evaluate<number>("document.querySelectorAll('*').length");
  const msPerKey = await typing(page, devtools);
  const scrollTasks = await scrolling(page);
  const streamed = await streaming(page);
  await page.close();
  return {
    name,
    ...openings,
    heapMb: heapBytes / 1e6,
    elements,
    msPerKey,
    scrollTasks,
    ...streamed,
  };
}

async function measureEmpty(bench: Bench) {
  const { page } = await open(bench, await bench.newConversation());
  await ask(page, 'chunks=5');
  const streamed = await streaming(page);
  await page.close();
  return streamed;
}

function verdictsOf(result: Result, emptyP50: number): Verdict[] {
  const { name, visible, heapMb, elements, msPerKey, scrollTasks, relay, streamTasks } = result;
  const of = (what: string, value: number, limit: number, show = ms) =>
    atMost(`${name}: ${what}`, value, limit, show);
  return [
    of('visible (p50)', p50(visible), VISIBLE_MS),
    of('heap', heapMb, 10, inUnit(' MB')),
    of('elements', elements, 2_000, String),
    of('typing, a key', msPerKey, 16),
    of('tasks > 50 ms while scrolling', scrollTasks.length, 0, String),
    {
      promise: `${name}: a reply streams as in an empty conversation (p50 + 5 ms, no task > 50 ms)`,
      measured: `${ms(p50(relay))} to ${ms(emptyP50)}, ${streamTasks.length} tasks`,
      kept: p50(relay) <= emptyP50 + 5 && streamTasks.length === 0,
    },
  ];
}

const { empty, results } = await withProduct(async (bench) => {
  const ids = await seed(bench.databaseUri, async ({ conversation }) => {
    const made: string[] = [];
    for (const messages of SIZES) made.push(await conversation(bench.user.id, messages));
    return made;
  });
  const empty = await measureEmpty(bench);
  const results: Result[] = [];
  for (const [n, messages] of SIZES.entries()) {
    results.push(await measure(bench, { name: `${messages} messages`, id: ids[n] ?? '' }));
  }
  return { empty, results };
});

printTitle('long: conversations with replies of 4 KB');
printTable(
  [
    '',
    'visible p50',
    'worst',
    'its tasks p50',
    'heap',
    'elements',
    'a key',
    'scroll > 50 ms',
    'chunk → DOM p50',
    'p95',
  ],
  [
    ...results.map((it) => [
      it.name,
      ms(p50(it.visible)),
      ms(Math.max(...it.visible)),
      ms(p50(it.work)),
      `${it.heapMb.toFixed(1)} MB`,
      it.elements,
      ms(it.msPerKey),
      it.scrollTasks.length,
      ms(p50(it.relay)),
      ms(p95(it.relay)),
    ]),
    ['empty', '-', '-', '-', '-', '-', '-', '-', ms(p50(empty.relay)), ms(p95(empty.relay))],
  ],
);
printVerdicts(results.flatMap((it) => verdictsOf(it, p50(empty.relay))));
