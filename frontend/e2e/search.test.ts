import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { type Visitor } from './product.ts';
import { shot } from './shot.ts';
import { checkScreen, composer, get } from './steps.ts';

const { url, subscribe } = await sharedProduct();
let visitor: Visitor;
let page: Page;

const MESSAGES = 400;

/** A conversation of 400 messages; the third one asks about a kingfisher. */
const conversation = {
  format: 'stolas.conversation',
  version: 1,
  title: 'Birds of the river',
  messages: Array.from({ length: MESSAGES }, (_, n) => ({
    id: `n${n}`,
    parentId: n === 0 ? null : `n${n - 1}`,
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: n === 2 ? 'Where does the **Kingfisher** nest in a café?' : `Heron number ${n}`,
    createdAt: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
  })),
};

beforeAll(async () => {
  ({ visitor, page } = await subscribe('Pro'));
  await importConversation();
});

async function importConversation(): Promise<void> {
  const imported = {
    format: 'json',
    text: JSON.stringify(conversation),
    clientConversationId: randomUUID(),
  };
  const status = await page.evaluate(async (body) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch('/api/conversations/import', { method: 'POST', headers, body });
    return answer.status;
  }, JSON.stringify(imported));
  expect(status).toBe(201);
}

const found = async () =>
  (await get<{ results: unknown[] }>(page, '/search?q=kingfisher')).results.length;

/** The focused message is the one that was looked for, and it is in view. */
const isShown = () =>
  page.evaluate(() => {
    const message = document.activeElement;
    const box = message?.getBoundingClientRect();
    return (
      message?.textContent?.includes('Kingfisher') === true &&
      box !== undefined &&
      box.top >= 0 &&
      box.bottom <= innerHeight
    );
  });

describe('a message of long ago', () => {
  it('is found by its words and opened, and its address opens it again', async () => {
    await expect.poll(found).toBe(1);
    await page.getByPlaceholder('Search conversations...').fill('cafe kingfi');
    const result = page.getByRole('region', { name: 'Messages' }).getByRole('link');
    await result.waitFor();
    await expect
      .poll(() => result.locator('mark').allTextContents())
      .toEqual(['Kingfisher', 'café']);
    await checkScreen(page, 'search');
    await result.click();
    await expect.poll(isShown).toBe(true);
    expect(page.url()).toMatch(/\?c=[0-9a-f]{24}&m=[0-9a-f]{24}$/);
    await page.reload();
    await expect.poll(isShown).toBe(true);
    expect(visitor.errors).toEqual([]);
  });

  it('is reached by the command menu with the keyboard alone', async () => {
    await page.goto(`${url}/?c=new`);
    const box = composer(page);
    await box.fill('A draft');
    await page.keyboard.press('Control+k');
    const search = page.getByRole('combobox', { name: /^Search/ });
    await search.waitFor();
    await checkScreen(page, 'command-menu');
    await page.keyboard.press('Escape');
    expect(await box.inputValue()).toBe('A draft');
    await page.keyboard.press('Control+k');
    await search.waitFor();
    await page.keyboard.type('kingfisher');
    await page.getByRole('option', { name: /Kingfisher/ }).waitFor();
    await shot(page, 'command-menu-results');
    await page.keyboard.press('Enter');
    await expect.poll(isShown).toBe(true);
    expect(visitor.errors).toEqual([]);
  });
});
