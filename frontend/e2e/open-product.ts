import type { Browser } from 'playwright-core';
import { afterAll, inject } from 'vitest';
import { showFailedPages } from './failed-pages.ts';
import { type Product, startBrowser, startProduct } from './product.ts';

/** A product and a browser for a journey. */
export interface OpenProduct {
  url: string;
  browser: Browser;
}

/**
 * Opens a browser for the file that calls this at its top, with a product that all files with the same settings share.
 * Each test creates its own users and changes no state that other tests see.
 */
export async function sharedProduct(settings: Record<string, string> = {}): Promise<OpenProduct> {
  const [url, browser] = await Promise.all([sharedUrl(settings), startBrowser()]);
  afterAll(() => browser.close());
  showFailedPages(browser);
  return { url, browser };
}

/** The same with a separate product, for a journey with the operator's pages or a heavy load. */
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
