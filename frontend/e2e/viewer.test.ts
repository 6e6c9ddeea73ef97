import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { pdfOf } from './pdf.ts';
import { WIDE } from './product.ts';
import { shot } from './shot.ts';
import { ask, button, checkScreen, chooseItem, lastReply } from './steps.ts';
import { attach, pdfFile } from './upload-steps.ts';

const { guest } = await sharedProduct();

const FACT = 'The observatory on Mount Seregno was closed in 1931 because of flooding.';
const filler = (n: number) =>
  `Chapter ${n}. The survey of the province continued in that year without remarkable events. `.repeat(
    12,
  );
const book = () =>
  pdfOf(
    Array.from({ length: 60 }, (_, i) =>
      i === 36 ? `${filler(37)}${FACT} ${filler(37)}` : filler(i + 1),
    ),
  );

const viewerOf = (page: Page) => page.getByRole('complementary', { name: 'File viewer' });

describe('a question about page 37 of 60', () => {
  it('is answered with a source that opens the viewer there; the library lists, finds and deletes it', async () => {
    const { visitor, page } = await guest({ ...WIDE, reducedMotion: 'reduce' });
    await attach(page, pdfFile('survey.pdf', await book()));
    await ask(page, 'Why was the observatory on Mount Seregno closed?');

    const source = lastReply(page).getByRole('button', {
      name: /^Source \d+: survey\.pdf, page 37$/,
    });
    await source.first().click();
    const viewer = viewerOf(page);
    const picture = viewer.getByRole('group', { name: 'Page 37' });
    await picture.locator('[data-mark]').first().waitFor();
    await expect.poll(() => viewer.getByLabel('Page', { exact: true }).inputValue()).toBe('37');
    await expect
      .poll(async () => (await picture.locator('mark').allTextContents()).join(''))
      .toContain('flooding');
    await expect
      .poll(() => picture.locator('img').evaluate((img) => (img as HTMLImageElement).naturalWidth))
      .toBeGreaterThan(0);
    await expect.poll(() => picture.locator('[data-mark]').first().isVisible()).toBe(true);
    await checkScreen(page, 'citation-viewer');

    // The page and the place on it stay when the viewer becomes narrower and wider.
    const mark = picture.locator('[data-mark]').first();
    const edge = viewer.getByRole('separator', { name: 'Viewer width' });
    for (const key of ['End', 'Home']) {
      await edge.press(key);
      await expect.poll(async () => (await picture.boundingBox())?.width).not.toBe(undefined);
      await expect.poll(() => viewer.getByLabel('Page', { exact: true }).inputValue()).toBe('37');
      await expect.poll(() => mark.isVisible()).toBe(true);
      const top = async () => (await mark.boundingBox())?.y ?? 0;
      await expect.poll(top).toSatisfy((y: number) => y > 100 && y < 600);
    }
    await edge.dblclick();
    await viewer.focus();
    await page.keyboard.press('Escape');
    await viewer.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Files' }).click();
    await page.getByRole('heading', { name: 'Files' }).waitFor();
    await page.getByText('60 pages').waitFor();
    await checkScreen(page, 'files');
    // The list stays where it is when a file opens beside it.
    const list = page.getByRole('list', { name: 'Files' });
    const left = async () => (await list.boundingBox())?.x;
    const closed = await left();
    await button(page, 'survey.pdf').click();
    await viewer.waitFor();
    expect(await left()).toBe(closed);
    await shot(page, 'files-open');
    await page.goBack();
    await viewer.waitFor({ state: 'detached' });
    const search = page.getByRole('searchbox', { name: 'Search files' });
    await search.fill('no such name');
    await page.getByText('No matching files').waitFor();
    await shot(page, 'files-none-found');
    await search.fill('SURV');
    await button(page, 'survey.pdf').waitFor();
    await chooseItem(page, 'Actions for survey.pdf', 'Delete…');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Why was the observatory').waitFor();
    await shot(page, 'files-delete');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('No matching files').waitFor();
    await page.goBack();
    await source.first().click();
    await viewer.getByText('This file is not available').waitFor();
    await shot(page, 'viewer-deleted');
    expect(visitor.errors).toEqual([]);
  });
});
