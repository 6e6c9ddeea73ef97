import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { PHONE, WIDE } from './product.ts';
import { ask, button, checkScreen } from './steps.ts';

const { url, arrive, guest } = await sharedProduct();

it('a user exports everything that is kept of them, and downloads it', async () => {
  const { visitor, page: chat } = await guest({ reducedMotion: 'reduce' });
  await ask(chat, 'Remember the boreal owl.');

  const page = await visitor.open('/settings#export');
  await page.getByRole('button', { name: 'Export your data' }).click();
  const save = button(page, 'Download');
  await save.waitFor();
  await checkScreen(page, 'export');
  const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
  expect(download.suggestedFilename()).toMatch(/^stolas-\d{4}-\d\d-\d\d\.zip$/);
  const zip = await readFile(await download.path());
  for (const name of ['account.json', 'usage.csv', 'conversations/'])
    expect(zip.includes(name)).toBe(true);
  expect(visitor.errors).toEqual([]);
});

const THEMES = [
  ['dark', PHONE],
  ['light', WIDE],
] as const;

it('the privacy page names the demo model, and passes in both themes and on a phone', async () => {
  for (const [colorScheme, { viewport }] of THEMES) {
    const visitor = await arrive({ colorScheme, viewport });
    const page = await visitor.open('/');
    await page.getByRole('contentinfo').getByRole('link', { name: 'Privacy' }).click();
    await page.getByRole('heading', { name: 'Language model' }).waitFor();
    const text = await page.locator('main').innerText();
    expect(text).toContain('Model: stolas-demo');
    expect(text).toContain('What you write does not leave this machine.');
    expect(text).toContain('no money moves');
    expect(text).not.toMatch(/127\.0\.0\.1|localhost/);
    await checkScreen(page, 'privacy');
    expect(visitor.errors).toEqual([]);
  }
});

it('each claim leads to its part of the page of features', async () => {
  for (const [colorScheme, { viewport }] of THEMES) {
    const visitor = await arrive({ colorScheme, viewport });
    const page = await visitor.open('/');
    await page.getByRole('link', { name: 'See how: Memory control' }).click();
    const memory = page.getByRole('region', { name: 'Memory control' });
    await memory.waitFor();
    const top = async () => (await memory.boundingBox())?.y ?? Number.NaN;
    await expect.poll(async () => Math.abs(await top()) < 400).toBe(true);
    await memory.getByRole('button', { name: /You live in Lisbon/ }).click();
    await expect.poll(() => memory.getByRole('listitem').count()).toBe(1);
    await page.getByLabel('Deep').check();
    await page.getByText('Most reasoning, most passages').waitFor();
    const team = page.getByRole('region', { name: 'Team collaboration' });
    expect(await team.innerText()).toContain('Ada and Grace are here');
    await checkScreen(page, 'features');
    expect(visitor.errors).toEqual([]);
  }
});

it('a deletion ends on a receipt that says that every store is empty, and the old session is out', async () => {
  const { viewport } = PHONE;
  const { visitor, page: chat } = await guest({ reducedMotion: 'reduce', viewport });
  await ask(chat, 'Remember the boreal owl.');
  const page = await visitor.open('/settings');
  await page.getByRole('button', { name: 'Delete Account' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete Account' }).click();
  await page.waitForURL(/\/deleted\/[0-9a-f]{48}$/);
  await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor();
  await chat.waitForURL('**/login');
  await page.getByText('Every store is checked once more').waitFor();
  await page.getByText('Every store was checked: nothing is left.').waitFor();

  const rows = await page.locator('tr[data-store]').all();
  expect(rows.length).toBeGreaterThan(10);
  const cells = await Promise.all(rows.map((row) => row.getByRole('cell').allInnerTexts()));
  expect(new Set(cells.map(([, left]) => left))).toEqual(new Set(['0']));
  const [found] = await page.locator('tr[data-store=chat]').getByRole('cell').allInnerTexts();
  expect(Number(found)).toBeGreaterThan(2);
  await checkScreen(page, 'deleted');

  // The receipt stays readable at its address; the session has ended.
  const other = await arrive();
  const receipt = await other.open(page.url());
  await receipt.getByText('Every store was checked: nothing is left.').waitFor();
  await page.goto(`${url}/settings`);
  await page.waitForURL('**/login');
});
