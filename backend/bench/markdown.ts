/**
 * Promise `markdown`: what a reply costs the page while it streams. The floors run on the same page in the same browser:
 * the text in a <pre>, and react-markdown given the whole text each time.
 *
 * `npm run bench -- markdown [frames per second]`: 25 as the server sends, or 50 as the chat reveals.
 */
import type { CDPSession, Page } from 'playwright-core';
import { launchBrowser } from './lib/browser.ts';
import { withBuild, withServer } from './lib/frontend-build.ts';
import { mixedMarkdown } from './lib/mixed-markdown.ts';
import { describeMachine, printTable, printVerdicts } from './lib/report.ts';

type Variant = 'markdown' | 'plain' | 'pre';

interface BenchPage {
  reset(): void;
  stream(stretch: Record<string, string | number>): Promise<void>;
  longTasks(): number[];
}
declare const window: { bench: BenchPage };

interface Run {
  /** Seconds of main-thread tasks for the whole text. */
  total: number;
  /** Milliseconds of main-thread tasks per frame over the last fifth. */
  nearEnd: number;
  longTasks: number[];
}

const CHARACTERS_A_SECOND = 51 * 25;
const framesASecond = Number(process.argv[2] ?? 25);
const frameChars = Math.round(CHARACTERS_A_SECOND / framesASecond);
const frameMs = 1000 / framesASecond;

async function taskSeconds(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN;
}

async function run(page: Page, devtools: CDPSession, variant: Variant, kb: number): Promise<Run> {
  const text = mixedMarkdown(kb * 1024);
  const late = Math.floor((text.length * 0.8) / frameChars) * frameChars;
  const stretch = async (from: number, to: number) => {
    const before = await taskSeconds(devtools);
    const frames = { variant, text, from, to, frameChars, frameMs };
    await page.evaluate((given) => window.bench.stream(given), frames);
    return (await taskSeconds(devtools)) - before;
  };
  await page.evaluate(() => window.bench.reset());
  const early = await stretch(0, late);
  const end = await stretch(late, text.length);
  return {
    total: early + end,
    nearEnd: (end * 1000) / Math.ceil((text.length - late) / frameChars),
    longTasks: await page.evaluate(() => window.bench.longTasks()),
  };
}

async function measure(url: string) {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(url);
    const devtools = await page.context().newCDPSession(page);
    // Time on the processor, so that what else the machine does counts for as little as possible.
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    // The first text also pays for compiling; every variant gets that for free.
    for (const variant of ['markdown', 'plain', 'pre'] as const)
      await run(page, devtools, variant, 2);

    const ours = new Map<number, Run>();
    for (const kb of [5, 10, 20, 40]) ours.set(kb, await run(page, devtools, 'markdown', kb));
    const floors = {
      pre20: await run(page, devtools, 'pre', 20),
      pre40: await run(page, devtools, 'pre', 40),
      plain20: await run(page, devtools, 'plain', 20),
    };
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const slow = {
      pre: await run(page, devtools, 'pre', 20),
      ours: await run(page, devtools, 'markdown', 20),
    };
    return { ours, floors, slow };
  } finally {
    await browser.close();
  }
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

console.log(
  `markdown: ${frameChars} characters × ${framesASecond} a second\n${describeMachine()}\n`,
);
const { ours, floors, slow } = await withBuild('frontend/bench/markdown', (folder) =>
  withServer(folder, measure),
);
printTable(
  ['streamed', 'tasks', 'a frame near the end', 'tasks > 50 ms', 'longest'],
  [
    ...[...ours].map(([kb, result]) => row(`<Markdown> ${kb} KB`, result)),
    row('floor: <pre> 20 KB', floors.pre20),
    row('floor: <pre> 40 KB', floors.pre40),
    row('floor: plain react-markdown 20 KB', floors.plain20),
    row('CPU / 4: <Markdown> 20 KB', slow.ours),
    row('CPU / 4: floor <pre> 20 KB', slow.pre),
  ],
);

const [at10, at20, at40] = [10, 20, 40].map((kb) => ours.get(kb));
if (!at10 || !at20 || !at40) throw new Error('a size was not measured');
const growth = at40.total / at20.total;
const drift = at40.nearEnd / at10.nearEnd;
printVerdicts([
  { promise: '20 KB ≤ 2.5 s', measured: `${at20.total.toFixed(2)} s`, kept: at20.total <= 2.5 },
  { promise: '40 KB ≤ 2.2 × 20 KB', measured: `${growth.toFixed(2)} ×`, kept: growth <= 2.2 },
  {
    promise: 'a frame near the end of 40 KB ≤ 1.5 × one near the end of 10 KB',
    measured: `${drift.toFixed(2)} ×`,
    kept: drift <= 1.5,
  },
  {
    promise: 'no task > 50 ms with a quarter of the CPU',
    measured: `${slow.ours.longTasks.length} (the <pre> has ${slow.pre.longTasks.length})`,
    kept: slow.ours.longTasks.length === 0,
  },
]);
