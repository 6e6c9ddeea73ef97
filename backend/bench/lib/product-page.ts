// Common steps of benches with the product's page in Chromium.
import { randomUUID } from 'node:crypto';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { startBrowser, Visitor } from '../../../frontend/e2e/product.ts';
import type { User } from '../../src/contract/auth.ts';
import type { Conversation } from '../../src/contract/conversations.ts';
import { visitor as apiOf } from '../../test/visitor.ts';
import { callsOf } from './calls.ts';
import { seed } from './seed.ts';
import { startSeededProduct } from './stamped-product.ts';
import type { startStampedProvider } from './stamped-provider.ts';

export interface Bench {
  url: string;
  browser: Browser;
  visitor: Visitor;
  user: User;
  /** The database of the running product. */
  databaseUri: string;
  provider: Awaited<ReturnType<typeof startStampedProvider>>;
  /** Calls the API as the user: GET, or POST with a body. */
  call: ReturnType<typeof callsOf>;
  /** A new, empty conversation of the user; its id. */
  newConversation: () => Promise<string>;
}

/** Runs the product with a stamped provider, a browser, and a signed-in user who has a plan. */
export async function withProduct<T>(work: (bench: Bench) => Promise<T>): Promise<T> {
  const { provider, product, databaseUri, stop } = await startSeededProduct();
  const browser = await startBrowser();
  try {
    const visitor = await Visitor.arrive(browser, product.url, {
      viewport: { width: 1440, height: 900 },
    });
    const { user, call } = await signUp(visitor, product.url);
    await seed(databaseUri, ({ subscribe }) => subscribe(user.id));
    const newConversation = async () =>
      (await call<Conversation>('/conversations', { title: 'Bench' })).id;
    const given = { url: product.url, browser, visitor, user, databaseUri, provider, call };
    return await work({ ...given, newConversation });
  } finally {
    await browser.close();
    await stop();
  }
}

async function signUp(visitor: Visitor, url: string) {
  const page = await visitor.register(`${randomUUID()}@example.com`, randomUUID());
  const token = await page.evaluate<string>("localStorage.getItem('authToken')");
  await page.close();
  const call = callsOf(apiOf(url).as(token));
  return { user: await call<User>('/auth/user'), call };
}

const LAST_REPLY = `[...document.querySelectorAll('[data-role=assistant][data-message-id]')].at(-1)`;

const lastReply = (page: Page) =>
  page.evaluate<{ id: string; status: string }>(
    `({ id: ${LAST_REPLY}?.dataset.messageId ?? '', status: ${LAST_REPLY}?.dataset.status ?? '' })`,
  );

const ASK_TIMEOUT_MS = 120_000;

/** Sends a message and waits until the page shows the complete reply; only rows in view are in the document. */
export async function ask(page: Page, text: string): Promise<void> {
  const before = await lastReply(page);
  await page.getByPlaceholder('Message STOLAS...').fill(text);
  await page.keyboard.press('Enter');
  const giveUp = Date.now() + ASK_TIMEOUT_MS;
  for (;;) {
    const { id, status } = await lastReply(page);
    if (id !== before.id && status === 'complete') return;
    if (Date.now() > giveUp) throw new Error(`'${text}' has no complete reply: ${status}`);
    await page.waitForTimeout(100);
  }
}

/** Runs in the page: records when each stamp is in the document for the first time. */
export const WATCH = `
  window.seen = new Map();
  const look = () => {
    const seenAt = performance.timeOrigin + performance.now();
    const text = ${LAST_REPLY}?.textContent ?? '';
    for (const [stamp, sentAt] of text.matchAll(/m\\d+t([\\d.]+)z/g))
      if (!window.seen.has(stamp)) window.seen.set(stamp, { sentAt: Number(sentAt), seenAt });
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true, characterData: true });
`;

/** Runs in the page: records every task over 50 ms. */
export const WATCH_TASKS = `
  window.longTasks = [];
  new PerformanceObserver((list) => {
    window.longTasks.push(...list.getEntries().map(({ duration }) => duration));
  }).observe({ type: 'longtask' });
`;

/** The tasks over 50 ms since the last call, in ms. */
export const takeLongTasks = (page: Page) => page.evaluate<number[]>('window.longTasks.splice(0)');

export interface Sighting {
  sentAt: number;
  seenAt: number;
}

/** By time of sending, because the page may also have seen the reply before. */
export const sightingsSince = async (page: Page, since: number): Promise<Sighting[]> => {
  const seen = `[...window.seen.values()].filter(({ sentAt }) => sentAt >= ${since})`;
  return (await page.evaluate<Sighting[]>(seen)).toSorted((a, b) => a.sentAt - b.sentAt);
};

/** The usage of the page's main thread so far: CPU time in seconds, heap in bytes. */
export async function pageMetrics(devtools: CDPSession) {
  const { metrics } = await devtools.send('Performance.getMetrics');
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  return { taskSeconds: of('TaskDuration'), heapBytes: of('JSHeapUsedSize') };
}

/** Devtools of a page that measure CPU time, so that other processes distort it little. */
export async function devtoolsOf(page: Page): Promise<CDPSession> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  return devtools;
}
