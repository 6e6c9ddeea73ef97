/**
 * Benchmarks `relay` and `tabs`: the delay of a delta from the provider to the page, and to a second tab. The baseline is an Express route
 * that pipes the provider's stream. `npm run bench -- relay`
 */
import { Readable } from 'node:stream';
import express from 'express';
import type { Page } from 'playwright-core';
import { startBrowser, Visitor } from '../../frontend/e2e/product.ts';
import { serve } from '../src/http/serve.fixture.ts';
import { givenLoad, measureInChild, report, runReceivers } from './lib/in-child.ts';
import { ask, type Sighting, sightingsSince, WATCH } from './lib/product-page.ts';
import { ms, p50, p95 } from './lib/quantiles.ts';
import { atMost, delayRow, printTable, printTitle, printVerdicts } from './lib/report.ts';
import { startStampedProduct } from './lib/stamped-product.ts';
import { clock, stampsIn } from './lib/stamped-provider.ts';

const ONE = { replies: 1, chunks: 200 };
const MANY = { replies: 200, chunks: 120 };
/** One reply to 50 sockets, as many as one user may have. */
const WATCHED = { ...ONE, tabs: 50 };
const RELOADS = 10;
const RELOADED_CHUNKS = 90;

async function measure() {
  const { provider, product, stop } = await startStampedProduct();
  try {
    const floorOne = await measureInChild('floor', provider.url, ONE);
    const floorMany = await measureInChild('floor', provider.url, MANY);
    const page = await measureTabs(product.url);
    const many = await measureInChild('receivers', product.url, MANY);
    const watched = await measureInChild('receivers', product.url, WATCHED);
    printTitle(`relay: in Chromium ${page.chromium}`);
    console.log(`most answers streaming at one moment, floor included: ${provider.peak()}`);
    const row = (name: string, delays: number[]) =>
      delayRow(name, delays, ms(Math.max(...delays)), delays.length);
    printTable(
      ['provider chunk to', 'p50', 'p95', 'max', 'samples'],
      [
        row('the page, 1 reply', page.first),
        row('a second tab, behind the first', page.behind),
        row('a reloaded page, caught up', page.reloads),
        row(`sockets, ${MANY.replies} replies`, many.delays),
        row('the same, once all of them stream', many.steady),
        row(`${WATCHED.tabs} sockets of one conversation`, watched.delays),
        row('floor: piped by a route, 1 reply', floorOne.delays),
        row(`floor: piped by a route, ${MANY.replies} replies`, floorMany.delays),
      ],
    );
    printVerdicts([
      atMost('relay, 1 reply: p50', p50(page.first), 5),
      atMost('relay, 1 reply: p95', p95(page.first), 10),
      atMost('relay, 1 reply: max', Math.max(...page.first), 60),
      atMost('relay, 200 replies: p95', p95(many.delays), 100),
      atMost(`relay, ${WATCHED.tabs} watchers of a reply: p95`, p95(watched.delays), 35),
      atMost('tabs: behind (p95)', p95(page.behind), 10),
      atMost(`tabs: reload caught up (worst of ${RELOADS})`, Math.max(...page.reloads), 300),
    ]);
  } finally {
    await stop();
  }
}

/** The baseline: one hop over HTTP, nothing stored, no second tab, lost on a reload. */
async function runFloor() {
  const { url: provider, load } = givenLoad();
  const { replies, chunks } = load;
  const app = express();
  app.get('/', async (_req, res) => {
    const body = JSON.stringify({ messages: [{ role: 'user', content: `chunks=${chunks}` }] });
    const answer = await fetch(`${provider}/chat/completions`, { method: 'POST', body });
    res.setHeader('content-type', 'text/event-stream');
    if (answer.body) Readable.fromWeb(answer.body).pipe(res);
  });
  const { url } = await serve(app);
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
  report({ delays, steady: [] });
}

/** Waits until the page has shown this number of the chunks sent since then; returns them in the order of their sending. */
async function seenAll(page: Page, chunks: number, since: number): Promise<Sighting[]> {
  const giveUp = since + 30_000;
  let sightings: Sighting[] = [];
  // Polled from here, because the page's security policy does not permit code that waits inside it.
  while (sightings.length < chunks) {
    if (clock() > giveUp) throw new Error(`a page shows ${sightings.length} of ${chunks} chunks`);
    await page.waitForTimeout(20);
    sightings = await sightingsSince(page, since);
  }
  return sightings;
}

async function measureTabs(url: string) {
  const browser = await startBrowser();
  try {
    const visitor = await Visitor.arrive(browser, url);
    const [one, two] = await openTwice(visitor);
    const since = clock();
    await ask(one, `chunks=${ONE.chunks}`);
    const a = await seenAll(one, ONE.chunks, since);
    const b = await seenAll(two, ONE.chunks, since);
    const reloads: number[] = [];
    while (reloads.length < RELOADS) {
      // One guest each, because the quota of one guest is too small for all of them.
      const guest = await Visitor.arrive(browser, url);
      reloads.push(await measureReload((await openTwice(guest))[0]));
      await guest.context.close();
    }
    return {
      chromium: browser.version(),
      first: a.map(({ sentAt, seenAt }) => seenAt - sentAt),
      behind: a.map(({ seenAt }, n) => (b[n]?.seenAt ?? Number.NaN) - seenAt),
      reloads,
    };
  } finally {
    await browser.close();
  }
}

/** Two tabs on one conversation that has a reply already. */
async function openTwice(visitor: Visitor): Promise<[Page, Page]> {
  const start = await visitor.enterAsGuest();
  await start.getByRole('button', { name: 'Start New Conversation' }).click();
  await ask(start, 'chunks=5');
  const address = start.url();
  await start.close();
  const open = async () => {
    const page = await visitor.context.newPage();
    await page.addInitScript(WATCH);
    await page.goto(address);
    await page.locator('[data-role=assistant]').waitFor();
    return page;
  };
  const [one, two] = [await open(), await open()];
  await one.bringToFront();
  return [one, two];
}

/** From the document's start until the page shows text that was sent after the reload began, in ms. */
async function measureReload(page: Page): Promise<number> {
  const since = clock();
  await page.getByPlaceholder('Message STOLAS...').fill(`chunks=${RELOADED_CHUNKS}`);
  await page.keyboard.press('Enter');
  await seenAll(page, RELOADED_CHUNKS / 3, since);
  await page.reload({ waitUntil: 'commit' });
  const all = await seenAll(page, RELOADED_CHUNKS, since);
  const origin = await page.evaluate<number>('performance.timeOrigin');
  return Math.min(...all.filter((it) => it.sentAt >= origin).map((it) => it.seenAt)) - origin;
}

const role = process.argv[2];
if (role === 'receivers') await runReceivers();
else if (role === 'floor') await runFloor();
else await measure();
