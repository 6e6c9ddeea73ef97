import { expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { completes, newConversation, send } from './steps.ts';

const { url, arrive } = await sharedProduct();

it('no page, dialog or reply violates the content security policy', async () => {
  const visitor = await arrive();
  await visitor.open();
  const page = await visitor.register();
  await page.goto(new URL('/settings', url).href);
  await page.getByRole('button', { name: 'Delete Account' }).click();
  await page.getByRole('dialog').waitFor();
  // The dialog stops the page behind it from scrolling, by a <style> element that it adds.
  await expect
    .poll(() => page.evaluate(() => getComputedStyle(document.body).overflow))
    .toBe('hidden');

  const guest = await arrive();
  const chat = await guest.enterAsGuest();
  await newConversation(chat);
  await send(chat, 'A table and code, please');
  await completes(chat);
  // Browsers report each violation of the policy on the console.
  expect([...visitor.errors, ...guest.errors]).toEqual([]);
});
