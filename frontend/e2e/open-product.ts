import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, inject } from 'vitest';
import { showFailedPages } from './failed-pages.ts';
import { choosePlan } from './payment-steps.ts';
import { startBrowser, startProduct, Visitor, type VisitorOptions } from './product.ts';
import { newConversation } from './steps.ts';

interface Arrived {
  visitor: Visitor;
  page: Page;
}

/** A product and a browser for a journey. */
export type OpenProduct = ReturnType<typeof withVisitors>;

/**
 * Opens a browser for the file that calls this at its top, with a product that all files with the same settings share.
 * Each test creates its own users and changes no state that other tests see.
 */
export async function sharedProduct(settings: Record<string, string> = {}): Promise<OpenProduct> {
  const [url, browser] = await Promise.all([sharedUrl(settings), startBrowser()]);
  afterAll(() => browser.close());
  return withVisitors(url, browser);
}

/** The same with a separate product, for a journey with the operator's pages or a heavy load. */
export async function ownProduct(
  settings: Record<string, string> = {},
  options?: { visitorsStay: boolean },
) {
  const [product, browser] = await Promise.all([startProduct(settings), startBrowser()]);
  afterAll(async () => {
    await browser.close();
    await product.stop();
  });
  return { ...withVisitors(product.url, browser, options), product };
}

/** What a visitor opens in a test is closed after it, unless `visitorsStay` for the tests that follow. */
function withVisitors(url: string, browser: Browser, { visitorsStay = false } = {}) {
  const visitors: Visitor[] = [];
  let isInTest = false;
  beforeEach(() => {
    isInTest = true;
  });
  afterEach(async () => {
    isInTest = false;
    await Promise.all(visitors.splice(0).map(({ context }) => context.close()));
  });
  // After the hooks above, because the last one runs first.
  showFailedPages(browser);

  const arrive = async (options?: VisitorOptions): Promise<Visitor> => {
    const visitor = await Visitor.arrive(browser, url, options);
    if (isInTest && !visitorsStay) visitors.push(visitor);
    return visitor;
  };
  const register = async (): Promise<Arrived> => {
    const visitor = await arrive({ reducedMotion: 'reduce' });
    return { visitor, page: await visitor.register() };
  };
  const home = async (options?: VisitorOptions): Promise<Arrived> => {
    const visitor = await arrive(options);
    return { visitor, page: await visitor.enterAsGuest() };
  };
  return {
    url,
    browser,
    arrive,
    /** A guest on the home screen. */
    home,
    /** A guest in a new conversation. */
    guest: async (options?: VisitorOptions): Promise<Arrived> => {
      const arrived = await home(options);
      await newConversation(arrived.page);
      return arrived;
    },
    /** A new user, who is shown the plans. */
    register,
    /** A user who has paid for a plan and is in the chat. */
    subscribe: async (
      plan: string,
      interval: 'Monthly' | 'Yearly' = 'Monthly',
    ): Promise<Arrived> => {
      const { visitor, page } = await register();
      await page.getByText(interval, { exact: true }).click();
      await choosePlan(page, plan);
      return { visitor, page };
    },
  };
}

async function sharedUrl(settings: Record<string, string>): Promise<string> {
  const body = JSON.stringify(settings);
  const answer = await fetch(inject('sharedProducts'), { method: 'POST', body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
