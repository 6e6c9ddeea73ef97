import { expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { composer } from './steps.ts';

const { url, arrive, home } = await sharedProduct();
const TEXT = 'Not sent yet';

it('fault 32: a tab whose code is gone says so where the part would be, keeps its text, and shows the part once the code is back', async () => {
  const { page } = await home();
  await page.route('**/assets/command-menu-*', (route) => route.fulfill({ status: 404 }));
  const box = composer(page);
  await box.fill(TEXT);
  await page.keyboard.press('Control+k');
  await page.getByText('A new version is available. Reload').waitFor();
  expect(await box.inputValue()).toBe(TEXT);
  await box.pressSequentially(', still');
  expect(await box.inputValue()).toBe(`${TEXT}, still`);

  await page.unroute('**/assets/command-menu-*');
  await page.getByRole('button', { name: 'Close notification' }).click();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /^Search/ }).waitFor();

  // Reloading is up to the user, and loses nothing.
  await page.keyboard.press('Escape');
  await page.reload();
  await expect.poll(() => box.inputValue()).toBe(`${TEXT}, still`);
});

it('a page whose own code does not arrive loads itself once more, and then says so', async () => {
  const visitor = await arrive();
  const page = await visitor.context.newPage();
  let lost = 0;
  let losses = 1;
  await page.route('**/assets/base-*.js', (route) => {
    if (lost >= losses) return route.continue();
    lost += 1;
    return route.abort('connectionreset');
  });
  await page.goto(url);
  await page.getByRole('link', { name: 'Enter STOLAS' }).first().waitFor();
  expect(lost).toBe(1);
  losses = Number.POSITIVE_INFINITY;
  await page.reload();
  await page.getByText('STOLAS could not be loaded. Check your connection').waitFor();
});
