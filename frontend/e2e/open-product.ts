import type { Browser } from 'playwright-core';
import { afterAll, inject } from 'vitest';
import { showFailedPages } from './failed-pages.ts';
import { type Product, startBrowser, startProduct } from './product.ts';

/** What a journey is tried on. */
export interface OpenProduct {
  url: string;
  browser: Browser;
}

/**
 * A browser for the file that calls this at its top, and a product that it shares with all files that ask for the same
 * settings. Each test brings users of its own and changes nothing that others see.
 */
export async function sharedProduct(settings: Record<string, string> = {}): Promise<OpenProduct> {
  const [url, browser] = await Promise.all([sharedUrl(settings), startBrowser()]);
  afterAll(() => browser.close());
  showFailedPages(browser);
  return { url, browser };
}

/** The same with a product of the file's own, for a journey with the operator's pages or a heavy load. */
export async function ownProduct(
  settings: Record<string, string> = {},
): Promise<OpenProduct & { product: Product }> {
  const [product, browser] = await Promise.all([startProduct(settings), startBrowser()]);
  afterAll(async () => {
    await browser.close();
    await product.stop();
  });
  showFailedPages(browser);
  return { url: product.url, browser, product };
}

async function sharedUrl(settings: Record<string, string>): Promise<string> {
  const body = JSON.stringify(settings);
  const answer = await fetch(inject('sharedProducts'), { method: 'POST', body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text;
}
