import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { shot } from './shot.ts';
import { ask, barriers, button, checkScreen, completes, lastReply, send } from './steps.ts';

// The tests share one user and follow one another.
const NAMES = ['Editor', 'Tutor', 'Critic'];
const { url, subscribe } = await sharedProduct({ RATE_LIMITS: 'false' });
let page: Page;
let context: BrowserContext;

beforeAll(async () => {
  ({ page } = await subscribe('Starter'));
  context = page.context();
});

const headings = (tab: Page) => lastReply(tab).getByRole('heading', { level: 3 });
const named = (tab: Page) => headings(tab).locator('bdi').allTextContents();
const open = async () => {
  await page.getByRole('button', { name: /^Persona/ }).click();
  await page.getByRole('dialog', { name: 'Persona' }).waitFor();
};
describe('a panel of three', () => {
  it('is a fusion of three personas, chosen in the message box', async () => {
    await page.goto(`${url}/personas?fuse`);
    await page.getByLabel('Persona A').selectOption('Editor');
    await page.getByLabel('Persona B').selectOption('Tutor');
    await page.getByRole('button', { name: 'Add a persona' }).click();
    await page.getByLabel('Persona C', { exact: true }).selectOption('Critic');
    await page.getByLabel('Name of the fusion').fill('Three voices');
    await page.getByText('“Three voices”').waitFor();
    await page.getByRole('button', { name: 'Save as a persona' }).click();
    await page.getByRole('button', { name: 'Chat as Three voices' }).click();
    await page.getByRole('button', { name: 'Persona: Three voices' }).waitFor();
    await open();
    await page.getByText('In a panel its 3 members answer in turn.').waitFor();
    await page.getByRole('radio', { name: 'Answer as a panel' }).check();
    await page.getByRole('checkbox', { name: 'Close with a synthesis' }).check();
    await page.getByText('That costs as much as 4 replies.').waitFor();
    await checkScreen(page, 'panel-choice', { phone: true });
    await page.keyboard.press('Escape');
  });

  it('answers in three named parts, while a reload and another tab see the same', async () => {
    await send(page, '/long 3 60');
    // A slow machine may show more by then.
    await expect.poll(() => named(page)).toEqual(expect.arrayContaining(NAMES.slice(0, 2)));
    await page.reload();
    const other = await context.newPage();
    await other.goto(page.url());
    await expect.poll(() => named(page)).toEqual(expect.arrayContaining(NAMES.slice(0, 2)));
    for (const tab of [page, other]) await completes(tab);
    const shown = (tab: Page) => lastReply(tab).locator('.reply').textContent();
    await expect.poll(() => named(page)).toEqual([...NAMES, 'Synthesis']);
    expect(await shown(other)).toBe(await shown(page));
    const text = (await shown(page)) ?? '';
    const places = [...NAMES.map((name) => `${name} answers`), `The panel of ${NAMES.join(', ')}`];
    const found = places.map((place) => text.indexOf(place));
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(found[0]).toBeGreaterThan(-1);
    expect(await barriers(page)).toEqual([]);
    await lastReply(page).getByText('As Three voices').waitFor();
    await other.close();
  });

  it('is remembered, and copied with its names', async () => {
    await open();
    await expect
      .poll(() => page.getByRole('radio', { name: 'Answer as a panel' }).isChecked())
      .toBe(true);
    await page.keyboard.press('Escape');
    await ask(page, 'Hello owls');
    await expect.poll(() => named(page)).toEqual([...NAMES, 'Synthesis']);
    await shot(page, 'panel', { phone: true });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await button(lastReply(page), 'Copy').click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toContain('**Tutor**\n\n**Tutor** answers');
    expect(await copied()).toMatch(/^\*\*Editor\*\*\n\n/);
    expect(await copied()).toMatch(/\*\*Synthesis\*\*\n\nThe panel of [^]*> Hello owls/);
  });
});
