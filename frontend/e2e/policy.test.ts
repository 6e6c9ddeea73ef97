import { expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { ask } from './steps.ts';

const { url, arrive, guest } = await sharedProduct();

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

  const other = await guest();
  await ask(other.page, 'A table and code, please');
  // Browsers report each violation of the policy on the console.
  expect([...visitor.errors, ...other.visitor.errors]).toEqual([]);
});
