import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { subscribeAt } from './payment-steps.ts';
import type { Visitor } from './product.ts';
import { shot } from './shot.ts';
import { barriers } from './steps.ts';

const { url, browser } = await sharedProduct();
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
  ({ visitor, page } = await subscribeAt({ browser, url }, 'Pro'));
});

beforeAll(importConversation);

async function importConversation(): Promise<void> {
  const body = {
    format: 'json',
    text: JSON.stringify(conversation),
    clientConversationId: randomUUID(),
  };
  const status = await page.evaluate(async (sent) => {
    const token = localStorage.getItem('authToken') ?? '';
    const answer = await fetch('/api/conversations/import', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(sent),
    });
    return answer.status;
  }, body);
  expect(status).toBe(201);
}

const isIndexed = async () =>
  page.evaluate(async () => {
    const token = localStorage.getItem('authToken') ?? '';
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch('/api/search?q=kingfisher', { headers });
    return ((await answer.json()) as { results: unknown[] }).results.length;
  });

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
    await expect.poll(isIndexed).toBe(1);
    await page.getByPlaceholder('Search conversations...').fill('cafe kingfi');
    const result = page.getByRole('region', { name: 'Messages' }).getByRole('link');
    await result.waitFor();
    await expect
      .poll(() => result.locator('mark').allTextContents())
      .toEqual(['Kingfisher', 'café']);
    expect(await barriers(page)).toEqual([]);
    await shot(page, 'search');
    await result.click();
    await expect.poll(isShown).toBe(true);
    expect(page.url()).toMatch(/\?c=[0-9a-f]{24}&m=[0-9a-f]{24}$/);
    await page.reload();
    await expect.poll(isShown).toBe(true);
    expect(visitor.errors).toEqual([]);
  });

  it('is reached by the command menu with the keyboard alone', async () => {
    await page.goto(`${url}/?c=new`);
    const composer = page.getByPlaceholder('Message STOLAS...');
    await composer.fill('A draft');
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: /^Search/ });
    await box.waitFor();
    expect(await barriers(page)).toEqual([]);
    await shot(page, 'command-menu');
    await page.keyboard.press('Escape');
    expect(await composer.inputValue()).toBe('A draft');
    await page.keyboard.press('Control+k');
    await box.waitFor();
    await page.keyboard.type('kingfisher');
    await page.getByRole('option', { name: /Kingfisher/ }).waitFor();
    await shot(page, 'command-menu-results');
    await page.keyboard.press('Enter');
    await expect.poll(isShown).toBe(true);
    expect(visitor.errors).toEqual([]);
  });
});
