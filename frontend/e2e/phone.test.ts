import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { PHONE } from './product.ts';
import { ask } from './steps.ts';

const { url, arrive, guest } = await sharedProduct();

const WIDTH = 390;

const boxOf = async (target: Locator) => {
  const box = await target.boundingBox();
  if (!box) throw new Error(`${String(target)} is not shown`);
  return box;
};

/** Whether an element shows all of its text. */
const showsAll = (target: Locator) =>
  target.evaluate((it) => it.scrollWidth <= it.clientWidth && it.scrollHeight <= it.clientHeight);

it('a phone has room for texts: on the landing page, in the message box, the sidebar and the lists', async () => {
  const visitor = await arrive({ ...PHONE, locale: 'de-DE', reducedMotion: 'reduce' });
  const page = await visitor.open();
  const links = ['STOLAS öffnen', 'Live-Demo ansehen'];
  const boxes = links.map((name) => boxOf(page.getByRole('link', { name }).first()));
  const [enter, demo] = await Promise.all(boxes);
  expect(enter?.width).toBe(demo?.width);

  await page.goto(`${url}/login`);
  await page.getByRole('button', { name: 'Als Gast fortfahren (Demo-Modus)' }).click();
  const box = page.getByPlaceholder('Nachricht an STOLAS');
  await box.waitFor();
  expect((await boxOf(box)).width).toBeGreaterThan(WIDTH * 0.8);
  await page.getByRole('button', { name: 'Seitenleiste öffnen' }).click();
  expect(await showsAll(page.getByText('Kein aktiver Tarif', { exact: true }))).toBe(true);

  await page.goto(`${url}/personas`);
  const role = page.getByText('Geduldiges Erklären, bei dem du die Lösung selbst findest');
  await role.waitFor();
  expect(await showsAll(role)).toBe(true);

  await page.goto(`${url}/settings`);
  const link = page.locator('nav a[href="#keyboard"]');
  // The sections above it load, and move it.
  await expect
    .poll(async () => {
      await page.locator('#keyboard').evaluate((it) => it.scrollIntoView());
      return link.getAttribute('aria-current');
    })
    .toBe('true');
  const { x, width } = await boxOf(link);
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(WIDTH);
  expect(visitor.errors).toEqual([]);
});

it('a conversation is starred by a tap', async () => {
  const { page } = await guest({ ...PHONE });
  await ask(page, 'Which stars are near Lyra tonight?');
  await page.getByRole('button', { name: 'Open sidebar' }).click();
  const star = page.getByRole('button', { name: /^Star “/ });
  const { width, height } = await boxOf(star);
  expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
  expect(await star.evaluate((it) => getComputedStyle(it).opacity)).toBe('1');
  await star.tap();
  await page.getByText('Starred', { exact: true }).waitFor();
});
