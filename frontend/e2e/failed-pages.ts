import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach } from 'vitest';

const MAX_TEXT_LENGTH = 2_000;

/** Prints what the browser's pages show when a test of this file fails, or a hook before its first test. */
export function showFailedPages(browser: Browser): void {
  let hasBegun = false;
  beforeEach(() => {
    hasBegun = true;
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await print(browser);
  });
  afterAll(async () => {
    if (!hasBegun) await print(browser);
  });
}

async function print(browser: Browser): Promise<void> {
  const pages = browser.contexts().flatMap((context) => context.pages());
  for (const page of pages) console.log(`\n${framesOf(page)}\n${await textOf(page)}`);
}

/** The address of the page, and of each frame in it. */
const framesOf = (page: Page): string =>
  page
    .frames()
    .map((frame) => frame.url())
    .join(' > ');

async function textOf(page: Page): Promise<string> {
  const text = page.locator('body').innerText({ timeout: 5_000 });
  return (await text.catch(String)).slice(0, MAX_TEXT_LENGTH);
}
