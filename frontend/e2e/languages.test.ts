import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { type Visitor, type VisitorOptions } from './product.ts';
import { barriers, button } from './steps.ts';

// Each test is named by the sentences of docs/product.md ('Languages') that it proves.

const { url, arrive } = await sharedProduct();

let visitor: Visitor;

async function visit(path: string, options: VisitorOptions = {}): Promise<Page> {
  visitor = await arrive({ locale: 'de-AT', reducedMotion: 'reduce', ...options });
  return visitor.open(path);
}

const langOf = (page: Page) => page.locator('html').getAttribute('lang');

it('a browser that prefers German gets German; its texts are loaded once', async () => {
  const page = await visit('/login');
  await button(page, 'Anmelden').waitFor();
  await expect.poll(() => langOf(page)).toBe('de');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  await page.getByRole('link', { name: 'STOLAS öffnen' }).waitFor();
  await page.getByText('3.000.000 Tokens pro Monat').waitFor();
  expect(requests.filter((it) => it.includes('catalogue_de'))).toHaveLength(1);
  expect(visitor.errors).toEqual([]);
});

it('what the server says is shown in German, too', async () => {
  const page = await visit('/login');
  await page.getByRole('button', { name: 'Noch kein Konto? Registrieren' }).click();
  await page.getByLabel('E-Mail-Adresse').fill('ada@example.com');
  await page.getByLabel('Passwort', { exact: true }).fill('short');
  await button(page, 'Konto erstellen').click();
  const form = page.locator('form');
  await expect.poll(() => form.textContent()).toContain('Wähle ein Passwort mit mindestens 8');
});

it('the stored choice wins over the languages of the browser', async () => {
  const page = await visit('/login');
  await page.evaluate(() => localStorage.setItem('language', 'en'));
  await page.reload();
  await button(page, 'Sign In').waitFor();
  await expect.poll(() => langOf(page)).toBe('en');
});

it('is English when the texts of the language cannot be loaded', async () => {
  const page = await visit('/nowhere');
  await page.route('**/*catalogue_de*', (route) => route.abort());
  await page.goto(`${url}/login`);
  await button(page, 'Sign In').waitFor();
  await expect.poll(() => langOf(page)).toBe('en');
});

it.each([
  ['/', 'Zwei Tarife'],
  ['/login', 'STOLAS'],
  ['/subscription', 'Wähle deinen Tarif'],
])('%s in German fits a phone and has no barriers', async (path, heading) => {
  const page = await visit(path, { viewport: { width: 360, height: 740 } });
  await page.getByRole('heading', { name: heading, exact: true }).waitFor();
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  const cut = await page
    .locator('a, button')
    .evaluateAll((all) =>
      all
        .filter((it) => it.scrollWidth > it.clientWidth + 1 && it.clientWidth > 0)
        .map((it) => it.textContent),
    );
  expect(cut).toEqual([]);
  expect(await barriers(page)).toEqual([]);
});
