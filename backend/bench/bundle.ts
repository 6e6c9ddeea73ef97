/**
 * Benchmark `bundle`: the scripts that Chromium receives on the wire for a first load with an empty cache, HTTP headers included, until the
 * page requests nothing more, so that preloads and later chunks count. The main script of the highlighter's worker is not counted. The
 * baseline is react with react-dom, sent as brotli. `npm run bench -- bundle`
 */
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import { serve } from '../src/http/serve.fixture.ts';
import { type Bench, withProduct } from './lib/product-page.ts';
import { atMost, inUnit, printTable, printTitle, printVerdicts } from './lib/report.ts';
import { seed } from './lib/seed.ts';

/** After this time without a request of a script, the page has loaded everything that it loads by itself. */
const QUIET_MS = 1_500;

interface Load {
  name: string;
  url: string;
  /** The text that the page shows when it is usable. */
  ready: string;
  state?: BrowserContextOptions['storageState'];
  limit?: number;
}

interface Weight {
  name: string;
  kb: number;
  headersKb: number;
  files: number;
  limit: number | undefined;
}

const isScript = (request: Request) =>
  request.resourceType() === 'script' || new URL(request.url()).pathname.endsWith('.js');

async function weigh(browser: Browser, load: Load): Promise<Weight> {
  const context = await browser.newContext(load.state ? { storageState: load.state } : {});
  const page = await context.newPage();
  const scripts: Request[] = [];
  let lastAt = Date.now();
  page.on('requestfinished', (request) => {
    if (!isScript(request)) return;
    scripts.push(request);
    lastAt = Date.now();
  });
  await page.goto(load.url);
  await page.locator(load.ready).first().waitFor();
  await quiet(page, () => lastAt);
  const sizes = await Promise.all(scripts.map((script) => script.sizes()));
  await context.close();
  const headers = sizes.reduce((sum, { responseHeadersSize }) => sum + responseHeadersSize, 0);
  const bodies = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  return {
    name: load.name,
    kb: (headers + bodies) / 1000,
    headersKb: headers / 1000,
    files: scripts.length,
    limit: load.limit,
  };
}

async function quiet(page: Page, lastAt: () => number): Promise<void> {
  await page.waitForLoadState('networkidle');
  while (Date.now() - lastAt() < QUIET_MS) await page.waitForTimeout(100);
}

async function weighPages({ browser, url, visitor, user, databaseUri }: Bench) {
  // Another browser context has an empty cache.
  const state = await visitor.context.storageState();
  const empty = {
    name: 'chat, no conversation',
    url: `${url}/`,
    ready: 'text=Start New Conversation',
    state,
  };
  const weights = [
    await weigh(browser, { name: 'landing', url: `${url}/`, ready: 'h1', limit: 110 }),
    await weigh(browser, { name: 'login', url: `${url}/login`, ready: 'form', limit: 110 }),
    await weigh(browser, { ...empty, limit: 220 }),
  ];
  const id = await seed(databaseUri, ({ conversation }) => conversation(user.id, 2));
  const code = { name: 'chat, highlighted code', url: `${url}/?c=${id}`, ready: 'pre code', state };
  return [...weights, await weigh(browser, code)];
}

const BASELINE = `
  import { createElement } from 'react';
  import { createRoot } from 'react-dom/client';
  createRoot(document.body).render(createElement('p'));
`;

async function weighBaseline(browser: Browser): Promise<Weight> {
  const { outputFiles } = await build({
    stdin: { contents: BASELINE, resolveDir: path.resolve('frontend') },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const script = brotliCompressSync(outputFiles[0]?.contents ?? '');
  const { url, stop } = await serve((req, res) => {
    const isPage = req.url === '/';
    res.setHeader('content-type', isPage ? 'text/html' : 'text/javascript');
    if (isPage) res.end('<body></body><script type="module" src="/app.js"></script>');
    else res.setHeader('content-encoding', 'br').end(script);
  });
  try {
    return await weigh(browser, { name: 'baseline: react + react-dom', url, ready: 'body' });
  } finally {
    stop();
  }
}

const { pages, baseline } = await withProduct(async (bench) => ({
  pages: await weighPages(bench),
  baseline: await weighBaseline(bench.browser),
}));

printTitle('bundle: script on the wire before a page can be used');
printTable(
  ['page', 'KB', 'of these headers', 'files', 'beyond the baseline'],
  [...pages, baseline].map(({ name, kb, headersKb, files }) => [
    name,
    kb.toFixed(1),
    headersKb.toFixed(1),
    files,
    (kb - baseline.kb).toFixed(1),
  ]),
);
printVerdicts(
  pages.flatMap(({ name, kb, limit }) =>
    limit === undefined ? [] : [atMost(name, kb, limit, inUnit(' KB'))],
  ),
);
