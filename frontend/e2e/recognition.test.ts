import type { Browser, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { Visitor } from './product.ts';
import { shot } from './shot.ts';
import { ask, barriers, lastReply } from './steps.ts';
import { attach } from './upload-steps.ts';

const { url, browser } = await sharedProduct({ OCR: 'true' });

/** A page of text, pictures of pages with text, and a drawing. */
async function makeScan(from: Browser, texts: readonly string[]): Promise<Buffer> {
  const page = await from.newPage({ viewport: { width: 1_240, height: 900 } });
  const pictures: string[] = [];
  for (const text of texts) {
    await page.setContent(`<p style="font: 40px/1.6 sans-serif; margin: 80px">${text}</p>`);
    pictures.push((await page.screenshot()).toString('base64'));
  }
  const images = pictures.map(
    (picture) => `<img style="width: 100%" src="data:image/png;base64,${picture}">`,
  );
  const drawing = '<svg width="600" height="600"><circle cx="300" cy="300" r="250" /></svg>';
  const sheets = ['<p>Lease of the lighthouse at Varnhem.</p>', ...images, drawing];
  await page.setContent(
    sheets.map((sheet) => `<div style="break-after: page">${sheet}</div>`).join(''),
  );
  const pdf = await page.pdf({ width: '900px', height: '700px' });
  await page.close();
  return pdf;
}

const chip = (page: Page) => page.getByRole('list', { name: 'Files of this message' });

it('has scanned pages recognised after the file is attached, and is answered from them', async () => {
  const months = ['March', 'April', 'May', 'June'];
  const scan = await makeScan(
    browser,
    months.map((month) => `The keeper pays 940 euros for ${month}. The lantern is cleaned daily.`),
  );
  const visitor = await Visitor.arrive(browser, url, {
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  });
  const page = await visitor.enterAsGuest();
  await page.getByRole('button', { name: 'Start New Conversation' }).click();
  await attach(page, { name: 'lease.pdf', mimeType: 'application/pdf', buffer: scan });
  await chip(page)
    .getByText(/Recognising text, page \d of 5/)
    .waitFor();
  await shot(page, 'recognising', { phone: true });
  await chip(page).getByText('1 page has no readable text').waitFor();
  expect(await barriers(page)).toEqual([]);
  await shot(page, 'recognised', { phone: true });

  await ask(page, 'What does the keeper pay for April?');
  const source = lastReply(page).getByRole('button', { name: /^Source \d+: lease\.pdf, page 3$/ });
  await source.first().click();
  const viewer = page.getByRole('complementary', { name: 'File viewer' });
  await viewer.getByRole('note').getByText('1 page has no readable text: page 6').waitFor();
  expect(await barriers(page)).toEqual([]);
  await shot(page, 'recognised-viewer', { phone: true });
  await page.getByRole('link', { name: 'Files' }).click();
  await page.getByRole('heading', { name: 'Files' }).waitFor();
  await page.getByText('1 page has no readable text').first().waitFor();
  await shot(page, 'recognised-library', { phone: true });
});
