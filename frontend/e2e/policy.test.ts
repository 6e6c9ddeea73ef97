import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { Visitor } from './product.ts';
import { send, statusOf } from './steps.ts';

const { url, browser } = await sharedProduct();

it('no page, dialog or reply violates the content security policy', async () => {
  const visitor = await Visitor.arrive(browser, url);
  await visitor.open();
  const page = await visitor.register(`${randomUUID()}@example.com`, 'a long enough password');
  await page.goto(new URL('/settings', url).href);
  await page.getByRole('button', { name: 'Delete Account' }).click();
  await page.getByRole('dialog').waitFor();
  // The dialog stops the page behind it from scrolling, by a <style> element that it adds.
  await expect
    .poll(() => page.evaluate(() => getComputedStyle(document.body).overflow))
    .toBe('hidden');

  const guest = await Visitor.arrive(browser, url);
  const chat = await guest.enterAsGuest();
  await chat.getByRole('button', { name: 'Start New Conversation' }).click();
  await send(chat, 'A table and code, please');
  await expect.poll(() => statusOf(chat)).toBe('complete');
  // Browsers report each violation of the policy on the console.
  expect([...visitor.errors, ...guest.errors]).toEqual([]);
});
