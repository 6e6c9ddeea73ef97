/**
 * Promises `relay` and `tabs`: how long a piece of text takes from the provider to the page, and to a second tab. The
 * floor is an Express route that pipes the provider's stream. `npm run bench -- relay`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import express from 'express';
import type { Page } from 'playwright-core';
import { startProduct, Visitor } from '../../frontend/e2e/product.ts';
import { launchBrowser } from './lib/browser.ts';
import { ms, p50, p95 } from './lib/quantiles.ts';
import { receive } from './lib/receivers.ts';
import { describeMachine, printTable, printVerdicts } from './lib/report.ts';
import { clock, stampsIn, startStampedProvider } from './lib/stamped-provider.ts';

const ONE = { replies: 1, chunks: 200 };
const MANY = { replies: 200, chunks: 120 };

type Seen = Record<number, { sentAt: number; seenAt: number }>;

async function measure() {
  const machine = describeMachine();
  const provider = await startStampedProvider();
  const product = await startProduct({
    OPENAI_BASE_URL: provider.url,
    OPENAI_API_KEY: 'bench',
    RATE_LIMITS: 'false',
    GUESTS_PER_HOUR: '1000000',
  });
  try {
    const floorOne = await inChild('floor', provider.url, ONE);
    const floorMany = await inChild('floor', provider.url, MANY);
    const page = await measureTabs(product.url);
    const many = await inChild('receivers', product.url, MANY);
    console.log(`\n${machine}\n`);
    const row = (name: string, delays: number[]) => [
      name,
      ms(p50(delays)),
      ms(p95(delays)),
      delays.length,
    ];
    printTable(
      ['provider chunk to', 'p50', 'p95', 'chunks'],
      [
        row('the page, 1 reply', page.first),
        row('a second tab, behind the first', page.behind),
        row(`sockets, ${MANY.replies} replies`, many),
        row('floor: piped by a route, 1 reply', floorOne),
        row(`floor: piped by a route, ${MANY.replies} replies`, floorMany),
      ],
    );
    printVerdicts([
      {
        promise: 'relay, 1 reply: p50 ≤ 60 ms',
        measured: ms(p50(page.first)),
        kept: p50(page.first) <= 60,
      },
      {
        promise: 'relay, 1 reply: p95 ≤ 120 ms',
        measured: ms(p95(page.first)),
        kept: p95(page.first) <= 120,
      },
      {
        promise: 'relay, 200 replies: p95 ≤ 150 ms',
        measured: ms(p95(many)),
        kept: p95(many) <= 150,
      },
      {
        promise: 'tabs: ≤ 50 ms behind (p95)',
        measured: ms(p95(page.behind)),
        kept: p95(page.behind) <= 50,
      },
      {
        promise: 'tabs: reload caught up ≤ 500 ms',
        measured: ms(page.reload),
        kept: page.reload <= 500,
      },
    ]);
  } finally {
    await product.stop();
    provider.stop();
  }
}

/** Runs a role of this file in a process of its own and hands back the delays it measured. */
async function inChild(name: string, url: string, load: typeof ONE): Promise<number[]> {
  const file = process.argv[1] ?? '';
  const child = fork(file, [name, url, JSON.stringify(load)]);
  const [delays] = (await once(child, 'message')) as [number[]];
  return delays;
}

async function runReceivers() {
  const delays = await receive(process.argv[3] ?? '', JSON.parse(process.argv[4] ?? '{}'));
  process.send?.(delays, () => process.exit(0));
}

/** What nobody can be much faster than: one hop over HTTP, nothing stored, no second tab, lost on a reload. */
async function runFloor() {
  const [provider = '', load = '{}'] = process.argv.slice(3);
  const { replies, chunks } = JSON.parse(load) as typeof ONE;
  const app = express();
  app.get('/', async (_req, res) => {
    const body = JSON.stringify({ messages: [{ role: 'user', content: `chunks=${chunks}` }] });
    const answer = await fetch(`${provider}/chat/completions`, { method: 'POST', body });
    res.setHeader('content-type', 'text/event-stream');
    if (answer.body) Readable.fromWeb(answer.body).pipe(res);
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const delays: number[] = [];
  const read = async () => {
    const { body } = await fetch(url);
    if (!body) return;
    for await (const piece of body.pipeThrough(new TextDecoderStream())) {
      const now = clock();
      for (const { sentAt } of stampsIn(piece)) delays.push(now - sentAt);
    }
  };
  await Promise.all(Array.from({ length: replies }, read));
  process.send?.(delays, () => process.exit(0));
}

/** Runs in the page: notes when each stamp is in the document. */
const WATCH = `
  window.seen = {};
  const look = () => {
    const now = performance.timeOrigin + performance.now();
    const text = [...document.querySelectorAll('[data-role=assistant]')].at(-1)?.textContent ?? '';
    for (const [, n, sentAt] of text.matchAll(/m(\\d+)t([\\d.]+)z/g))
      window.seen[n] ??= { sentAt: Number(sentAt), seenAt: now };
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
`;
const FORGET = 'for (const n in window.seen) delete window.seen[n]';

const seenBy = (page: Page) => page.evaluate<Seen>('window.seen');
const count = async (page: Page) => Object.keys(await seenBy(page)).length;

async function measureTabs(url: string) {
  const browser = await launchBrowser();
  const visitor = await Visitor.arrive(browser, url);
  const first = await visitor.enterAsGuest();
  await first.getByRole('button', { name: 'Start New Conversation' }).click();
  await ask(first, 'chunks=5');
  const address = first.url();
  await first.close();
  const [one, two] = [await visitor.context.newPage(), await visitor.context.newPage()];
  for (const page of [one, two]) {
    await page.addInitScript(WATCH);
    await page.goto(address);
    await page.locator('[data-role=assistant]').waitFor();
    // What stood there already was not seen coming.
    await page.evaluate(FORGET);
  }
  await one.bringToFront();
  await ask(one, `chunks=${ONE.chunks}`);
  const [a, b] = [await seenBy(one), await seenBy(two)];
  const delays = Object.values(a).map(({ sentAt, seenAt }) => seenAt - sentAt);
  const behind = Object.entries(b).map(
    ([n, { seenAt }]) => seenAt - (a[Number(n)]?.seenAt ?? seenAt),
  );
  const reload = await measureReload(one);
  await browser.close();
  return { first: delays, behind, reload };
}

/** Asks and waits until the reply is complete. */
async function ask(page: Page, text: string): Promise<void> {
  const replies = await page.locator('[data-role=assistant]').count();
  await page.getByPlaceholder('Message STOLAS...').fill(text);
  await page.keyboard.press('Enter');
  const reply = page.locator('[data-role=assistant]').nth(replies);
  await reply.and(page.locator('[data-status=complete]')).waitFor({ timeout: 60_000 });
}

/** From the document's start to the moment the page shows text sent after the reload began. */
async function measureReload(page: Page): Promise<number> {
  await page.evaluate(FORGET);
  await page.getByPlaceholder('Message STOLAS...').fill('chunks=201');
  await page.keyboard.press('Enter');
  while ((await count(page)) < 60) await page.waitForTimeout(20);
  await page.reload();
  while ((await count(page)) < 120) await page.waitForTimeout(20);
  const origin = await page.evaluate<number>('performance.timeOrigin');
  const live = Object.values(await seenBy(page)).filter(({ sentAt }) => sentAt >= origin);
  return Math.min(...live.map(({ seenAt }) => seenAt)) - origin;
}

const role = process.argv[2];
if (role === 'receivers') await runReceivers();
else if (role === 'floor') await runFloor();
else await measure();
