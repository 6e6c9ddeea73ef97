/**
 * Benchmark `markdown`: the cost of a reply in the product's page while it streams in 51-character chunks, 25 a second. The baselines run
 * in a separate page of the same browser: the text in a <pre>, and react-markdown with the whole text each time. `npm run bench --
 * markdown`
 */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { withBuild } from './lib/frontend-build.ts';
import { mixedMarkdown } from './lib/mixed-markdown.ts';
import {
  ask,
  type Bench,
  devtoolsOf,
  pageMetrics,
  takeLongTasks,
  WATCH_TASKS,
  withProduct,
} from './lib/product-page.ts';
import { atMost, inUnit, printTable, printTitle, printVerdicts } from './lib/report.ts';

type Floor = 'plain' | 'pre';

interface FloorPage {
  reset(): void;
  stream(stretch: Record<string, string | number>): Promise<void>;
  longTasks(): number[];
}
declare const window: { bench: FloorPage };

interface Run {
  /** Seconds of main-thread tasks for the whole text. */
  total: number;
  /** Milliseconds of main-thread tasks per chunk over the last fifth. */
  nearEnd: number;
  longTasks: number[];
}

const CHUNK_CHARS = 51;
const CHUNK_MS = 40;
const VIEWPORT = { width: 1440, height: 900 };

const chunksOf = (kb: number) => Math.ceil((kb * 1024) / CHUNK_CHARS);

/** The number of visible characters of the last reply. */
const SHOWN = `([...document.querySelectorAll('[data-role=assistant]')].at(-1)?.textContent ?? '').length`;

/** One reply in the product's page, in a new conversation, so that all sizes start alike. */
async function streamReply(bench: Bench, kb: number, throttle = 1): Promise<Run> {
  const page = await bench.visitor.context.newPage();
  await page.addInitScript(WATCH_TASKS);
  await page.goto(`${bench.url}/?c=${await bench.newConversation()}`);
  // The first text also includes compilation, which the baselines do not include.
  await ask(page, 'markdown=2');
  const devtools = await devtoolsOf(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: throttle });
  await takeLongTasks(page);
  const before = await pageMetrics(devtools);
  const asked = ask(page, `markdown=${kb}`);
  const late = await whenLate(page, devtools, chunksOf(kb) * 0.8 * CHUNK_MS);
  await asked;
  const after = await pageMetrics(devtools);
  const longTasks = await takeLongTasks(page);
  const shown = await page.evaluate<number>(SHOWN);
  await page.close();
  return {
    total: after.taskSeconds - before.taskSeconds,
    nearEnd: ((after.taskSeconds - late.taskSeconds) * 1_000 * CHUNK_CHARS) / (shown - late.shown),
    longTasks,
  };
}

async function whenLate(page: Page, devtools: CDPSession, waitMs: number) {
  await page.waitForTimeout(waitMs);
  const { taskSeconds } = await pageMetrics(devtools);
  return { taskSeconds, shown: await page.evaluate<number>(SHOWN) };
}

async function streamFloor(page: Page, devtools: CDPSession, floor: Floor, kb: number) {
  const text = mixedMarkdown(kb * 1024);
  const late = Math.floor((text.length * 0.8) / CHUNK_CHARS) * CHUNK_CHARS;
  const stretch = async (from: number, to: number) => {
    const before = await pageMetrics(devtools);
    const chunks = { variant: floor, text, from, to, frameChars: CHUNK_CHARS, frameMs: CHUNK_MS };
    await page.evaluate((given) => window.bench.stream(given), chunks);
    return (await pageMetrics(devtools)).taskSeconds - before.taskSeconds;
  };
  await page.evaluate(() => window.bench.reset());
  const early = await stretch(0, late);
  const end = await stretch(late, text.length);
  return {
    total: early + end,
    nearEnd: (end * 1_000 * CHUNK_CHARS) / (text.length - late),
    longTasks: await page.evaluate(() => window.bench.longTasks()),
  };
}

async function measureFloors(browser: Browser, url: string) {
  const page = await browser.newPage({ viewport: VIEWPORT });
  await page.goto(url);
  const devtools = await devtoolsOf(page);
  for (const floor of ['plain', 'pre'] as const) await streamFloor(page, devtools, floor, 2);
  const pre20 = await streamFloor(page, devtools, 'pre', 20);
  const plain20 = await streamFloor(page, devtools, 'plain', 20);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const slowPre = await streamFloor(page, devtools, 'pre', 20);
  await page.close();
  return { pre20, plain20, slowPre };
}

function row(name: string, { total, nearEnd, longTasks }: Run): string[] {
  const longest = longTasks.length === 0 ? '-' : `${Math.round(Math.max(...longTasks))} ms`;
  return [
    name,
    `${total.toFixed(2)} s`,
    `${nearEnd.toFixed(2)} ms`,
    `${longTasks.length}`,
    longest,
  ];
}

const { at5, at10, at20, at40, slow, floors } = await withProduct(async (bench) => ({
  at5: await streamReply(bench, 5),
  at10: await streamReply(bench, 10),
  at20: await streamReply(bench, 20),
  at40: await streamReply(bench, 40),
  slow: await streamReply(bench, 20, 4),
  floors: await withBuild('frontend/bench/markdown', (url) => measureFloors(bench.browser, url)),
}));

printTitle(`markdown: ${CHUNK_CHARS} characters × ${1_000 / CHUNK_MS} a second`);
printTable(
  ['streamed', 'tasks', 'a chunk near the end', 'tasks > 50 ms', 'longest'],
  [
    row('the page, 5 KB', at5),
    row('the page, 10 KB', at10),
    row('the page, 20 KB', at20),
    row('the page, 40 KB', at40),
    row('the page, CPU / 4, 20 KB', slow),
    row('floor: <pre>, 20 KB', floors.pre20),
    row('floor: plain react-markdown, 20 KB', floors.plain20),
    row('floor: <pre>, CPU / 4, 20 KB', floors.slowPre),
  ],
);

const growth = at40.total / at20.total;
const ofPre = at20.total / floors.pre20.total;
const drift = at40.nearEnd / at10.nearEnd;
const times = inUnit(' ×', 2);
printVerdicts([
  atMost('20 KB, of the <pre>', ofPre, 2, times),
  atMost('40 KB, of 20 KB', growth, 2, times),
  atMost('a chunk near the end of 40 KB, of one near the end of 10 KB', drift, 1.5, times),
  atMost(
    `tasks > 50 ms with a quarter of the CPU (the <pre> has ${floors.slowPre.longTasks.length})`,
    slow.longTasks.length,
    0,
    String,
  ),
]);
