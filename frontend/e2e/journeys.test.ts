import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, startProduct, Visitor } from './product.ts';
import { barriers, lastReply, send, statusOf, textOf, whileStreaming } from './steps.ts';

let url: string;
let browser: Browser;

beforeAll(async () => {
  const [product, started] = await Promise.all([startProduct(), startBrowser()]);
  ({ url } = product);
  browser = started;
  return async () => {
    await browser.close();
    await product.stop();
  };
});

const newConversation = (page: Page) =>
  page.getByRole('button', { name: 'Start New Conversation' }).click();

/** A guest in a new conversation whose reply of about 10 KB is being written. */
async function askForLongReply(visitor: Visitor): Promise<Page> {
  const page = await visitor.enterAsGuest();
  await newConversation(page);
  await send(page, '/long 10');
  await whileStreaming(page, { atLeast: 300 });
  return page;
}

describe('every screen', () => {
  it('has no serious barrier for people who use it by other means than sight and mouse', async () => {
    // Without motion: halfway through a fade no text has its contrast.
    const visitor = await Visitor.arrive(browser, url, { reducedMotion: 'reduce' });
    const page = await visitor.open();
    await page.getByRole('link', { name: 'Enter STOLAS' }).first().waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.goto(`${url}/login`);
    await page.getByRole('button', { name: 'Sign In' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continue as Guest (Demo Mode)' }).click();
    await newConversation(page);
    await send(page, '/markdown');
    await expect.poll(() => statusOf(page)).toBe('complete');
    expect(await barriers(page)).toEqual([]);
    expect(visitor.errors).toEqual([]);
  });
});

describe('a guest', () => {
  it('enters, sends, and sees the reply grow before it is complete', async () => {
    const visitor = await Visitor.arrive(browser, url);
    const page = await visitor.enterAsGuest();
    await newConversation(page);
    await page.getByText('Start a new conversation').waitFor();
    await send(page, 'Hello there');
    await page.locator('[data-role=user]').getByText('Hello there').waitFor();
    await expect.poll(() => statusOf(page)).toBe('complete');
    expect(await textOf(page)).toContain('Hello there');

    await send(page, '/long 6');
    await whileStreaming(page, { atLeast: 100 });
    const early = (await textOf(page)).length;
    await expect.poll(() => statusOf(page)).toBe('complete');
    expect((await textOf(page)).length).toBeGreaterThan(early);
    // Two of the demo's twenty messages are used.
    await expect.poll(() => page.getByText('18 messages').count()).toBe(1);
    expect(visitor.errors).toEqual([]);
  });

  it('sees the same in a second tab, live, and after a reload in the middle', async () => {
    const visitor = await Visitor.arrive(browser, url);
    const page = await askForLongReply(visitor);
    const second = await visitor.open(new URL(page.url()).search);
    await whileStreaming(second, { atLeast: 300 });
    const early = (await textOf(second)).length;
    await expect.poll(async () => (await textOf(second)).length).toBeGreaterThan(early);
    await page.reload();
    await whileStreaming(page, { atLeast: 300 });
    await Promise.all(
      [page, second].map((tab) => expect.poll(() => statusOf(tab)).toBe('complete')),
    );
    expect(await textOf(page)).toBe(await textOf(second));
    expect((await textOf(page)).length).toBeGreaterThan(8_000);
    expect(visitor.errors).toEqual([]);
  });

  it('writes in one tab, and an open second tab shows message and reply as they come', async () => {
    const visitor = await Visitor.arrive(browser, url);
    const page = await visitor.enterAsGuest();
    await newConversation(page);
    await send(page, 'First');
    await expect.poll(() => statusOf(page)).toBe('complete');
    const second = await visitor.open(new URL(page.url()).search);
    await lastReply(second).waitFor();
    await send(page, '/long 4');
    await second.locator('[data-role=user]').getByText('/long 4').waitFor();
    await whileStreaming(second, { atLeast: 100 });
    await expect.poll(() => statusOf(second)).toBe('complete');
    expect(visitor.errors).toEqual([]);
  });

  it('stops a reply in one tab, and it is stopped in both, with its text', async () => {
    const visitor = await Visitor.arrive(browser, url);
    const page = await askForLongReply(visitor);
    const second = await visitor.open(new URL(page.url()).search);
    await whileStreaming(second, { atLeast: 300 });
    await second.getByRole('button', { name: 'Stop' }).click();
    await Promise.all(
      [page, second].map((tab) => expect.poll(() => statusOf(tab)).toBe('stopped')),
    );
    expect((await textOf(page)).length).toBeGreaterThan(300);
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    expect(visitor.errors).toEqual([]);
  });

  it('gets the reply by polling where WebSockets are blocked', async () => {
    const visitor = await Visitor.arrive(browser, url);
    // Connections are taken and then lost, as behind a proxy that does not know them.
    await visitor.context.routeWebSocket(/\/socket\//, (socket) => socket.close());
    const page = await visitor.enterAsGuest();
    await newConversation(page);
    await send(page, '/long 4');
    await page.getByText('AI is Still Processing').first().waitFor();
    await expect.poll(() => statusOf(page)).toBe('complete');
    expect((await textOf(page)).length).toBeGreaterThan(3_000);
  });
});
