import { randomUUID } from 'node:crypto';
import type { Conversation } from '@stolas/backend/contract';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { startSlowProvider } from '../../backend/test/slow-provider.ts';
import { visitor } from '../../backend/test/visitor.ts';
import { startCluster } from './cluster.ts';
import { projectRoot, startBrowser, Visitor } from './product.ts';
import { secondBuild } from './second-build.ts';
import { composer, newConversation, send, statusOf, whileStreaming } from './steps.ts';
import { attach, textFile } from './upload-steps.ts';

const POST_EVERY_MS = 20;
/** More are not sent at once: a machine that does not keep up would answer 503 because of that alone. */
const MAX_POSTS_AT_ONCE = 25;
const UNSENT = 'Written before the deploy';

interface Load {
  /** Replies that stream while the processes are replaced. */
  replies: number;
  /** How long each of them takes. */
  seconds: number;
}

/**
 * Replaces two web and two worker processes one after the other by those of another build, behind HAProxy, with replies that stream, a POST
 * every 20 ms as long as they are answered, and an open tab of the old build.
 * @returns the POSTs that failed, and what the tab wrote to its console as errors; replies and tab are checked here
 */
export async function rollingRestart({ replies, seconds }: Load) {
  const provider = await startSlowProvider(seconds);
  const later = await secondBuild(projectRoot());
  const cluster = await startCluster({
    ...provider.settings,
    // A worker ends its replies first, as by default.
    DRAIN_SECONDS: '120',
    SOCKET_DRAIN_SECONDS: '5',
  });
  const browser = await startBrowser();
  try {
    const tab = await openTab(browser, cluster.url);
    const api = await createGuest(cluster.url);
    // One user may have few replies at once.
    const readers = Array.from({ length: replies }, async () => {
      const guest = await createGuest(cluster.url);
      const id = await guest.ask();
      return () => guest.reply(id);
    });
    const replyOf = await Promise.all(readers);
    const posts = postSteadily(api);
    await cluster.deploy(later.backend);
    const failedPosts = await posts.stop();
    expect(posts.count()).toBeGreaterThan(100);
    for (const reply of replyOf)
      await expect
        .poll(reply, { timeout: seconds * 2_000 + 30_000 })
        .toEqual({ status: 'complete', content: provider.content });
    await checkTab(tab.page);
    return { failedPosts, tabErrors: tab.visitor.errors };
  } finally {
    await browser.close();
    await cluster.stop();
    provider.stop();
    await later.remove();
  }
}

/** A tab with a reply that streams, an attached file and a text that is not sent. */
async function openTab(browser: Browser, url: string) {
  const visitor = await Visitor.arrive(browser, url);
  const page = await visitor.enterAsGuest();
  await newConversation(page);
  await attach(page, textFile('notes.txt', 'A note.'));
  await send(page, 'Hello');
  await whileStreaming(page, { atLeast: 5 });
  await composer(page).fill(UNSENT);
  return { visitor, page };
}

/** What the tab of the old build still does. */
async function checkTab(page: Page): Promise<void> {
  await page.getByText('A new version is available.').first().waitFor();
  await expect.poll(() => statusOf(page), { timeout: 120_000 }).toBe('complete');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'notes.txt' }).first().click();
  await page.getByRole('complementary', { name: 'File viewer' }).getByText('A note.').waitFor();
  expect(await composer(page).inputValue()).toBe(UNSENT);
}

async function createGuest(url: string) {
  const guest = await visitor(url).guest();
  /** @returns the conversation's id */
  const create = async (): Promise<string> => {
    const { status, body } = await guest.post<Conversation>('/conversations', { title: 'Load' });
    if (status !== 201) throw new Error(`POST /conversations: ${status} ${JSON.stringify(body)}`);
    return body.id;
  };
  return {
    create,
    /** Sends a message in a new conversation. @returns the conversation's id */
    ask: async (): Promise<string> => {
      const id = await create();
      const key = randomUUID();
      // As a page: what a busy machine refuses is sent again. The deploy has not begun.
      await expect.poll(async () => (await guest.send(id, 'Hello', key)).status).toBeLessThan(300);
      return id;
    },
    reply: async (id: string) => {
      const { status, content } = await guest.reply(id);
      return { status, content };
    },
  };
}

/** Posts every 20 ms, whether the former ones were answered or not. */
function postSteadily({ create }: { create: () => Promise<unknown> }) {
  const failures: string[] = [];
  const running = new Set<Promise<unknown>>();
  let count = 0;
  const timer = setInterval(() => {
    if (running.size >= MAX_POSTS_AT_ONCE) return;
    count += 1;
    const post: Promise<unknown> = create()
      .catch((error: unknown) => failures.push(String(error)))
      .finally(() => running.delete(post));
    running.add(post);
  }, POST_EVERY_MS);
  return {
    count: () => count,
    stop: async (): Promise<string[]> => {
      clearInterval(timer);
      await Promise.all(running);
      return failures;
    },
  };
}
