import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** What axe finds on the page that keeps somebody out (impact serious or critical), as rule and element. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}

export async function send(page: Page, text: string): Promise<void> {
  await page.getByPlaceholder('Message STOLAS...').fill(text);
  await page.keyboard.press('Enter');
}

/** The newest reply on the page. */
export const lastReply = (page: Page) => page.locator('[data-role=assistant]').last();

export const statusOf = (page: Page) => lastReply(page).getAttribute('data-status');

export const textOf = async (page: Page) => (await lastReply(page).textContent()) ?? '';

/** Waits until some text of a reply is there and the reply still runs: the moment at which things go wrong. */
export async function whileStreaming(page: Page, { atLeast }: { atLeast: number }): Promise<void> {
  const seen = async () => ({ status: await statusOf(page), text: await textOf(page) });
  await expect
    .poll(async () => {
      const { status, text } = await seen();
      return status === 'streaming' && text.length > atLeast;
    })
    .toBe(true);
}
