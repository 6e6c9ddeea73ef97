import type { Browser } from 'playwright-core';
import { it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { WIDE } from './product.ts';
import { shot } from './shot.ts';
import { ask, checkScreen, lastReply } from './steps.ts';
import { attach, chips, pdfFile } from './upload-steps.ts';

const { browser, guest } = await sharedProduct({ OCR: 'true' });

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

it('has scanned pages recognised after the file is attached, and is answered from them', async () => {
  const months = ['March', 'April', 'May', 'June'];
  const scan = await makeScan(
    browser,
    months.map((month) => `The keeper pays 940 euros for ${month}. The lantern is cleaned daily.`),
  );
  const { page } = await guest({ ...WIDE, reducedMotion: 'reduce' });
  await attach(page, pdfFile('lease.pdf', scan));
  await chips(page)
    .getByText(/Recognising text, page \d of 5/)
    .waitFor();
  await shot(page, 'recognising', { phone: true });
  await chips(page).getByText('1 page has no readable text').waitFor();
  await checkScreen(page, 'recognised', { phone: true });

  await ask(page, 'What does the keeper pay for April?');
  const source = lastReply(page).getByRole('button', { name: /^Source \d+: lease\.pdf, page 3$/ });
  await source.first().click();
  const viewer = page.getByRole('complementary', { name: 'File viewer' });
  await viewer.getByRole('note').getByText('1 page has no readable text: page 6').waitFor();
  await checkScreen(page, 'recognised-viewer', { phone: true });
  await page.getByRole('link', { name: 'Files' }).click();
  await page.getByRole('heading', { name: 'Files' }).waitFor();
  await page.getByText('1 page has no readable text').first().waitFor();
  await shot(page, 'recognised-library', { phone: true });
});
