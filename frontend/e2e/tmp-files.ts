import { startBrowser, startProduct, Visitor } from './product.ts';
import { mkdirSync, writeFileSync } from 'node:fs';

const OUT = '/tmp/fupshots';
mkdirSync(OUT, { recursive: true });
const given = process.env.URL_GIVEN;
const [product, browser] = await Promise.all([
  given ? { url: given, stop: async () => {} } : startProduct({ PRO_UPLOAD_MB: '200' }),
  startBrowser(),
]);
console.log('product', product.url);
try {
  for (const [size, viewport] of Object.entries({ wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } })) {
    for (const theme of ['dark', 'light'] as const) {
      const isMobile = size === 'narrow';
      const v = await Visitor.arrive(browser, product.url, { viewport, colorScheme: theme, isMobile, hasTouch: isMobile, deviceScaleFactor: isMobile ? 2 : 1 });
      const page = await v.register(`${crypto.randomUUID()}@example.com`, 'a long enough password');
      await page.getByRole('button', { name: 'Choose Pro', exact: true }).click();
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      await page.getByText('Start New Conversation').waitFor();
      await page.goto(`${product.url}/?c=new`);
      await page.getByPlaceholder('Message STOLAS...').waitFor();
      const shot = (name: string) => page.screenshot({ path: `${OUT}/${name}-${size}-${theme}.png`, animations: 'disabled' });
      await page.getByRole('button', { name: 'Attach files' }).click();
      await page.locator('.uppy-Dashboard-inner').waitFor();
      await page.waitForTimeout(600);
      await shot('modal-empty');
      await page.locator('.uppy-Dashboard-input').first().setInputFiles([
        { name: 'Report on owls of the northern forests.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\nnot really') },
        { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Owls are silent. '.repeat(5000)) },
        { name: 'data.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') },
      ]);
      await page.waitForTimeout(600);
      await shot('modal-files');
      await page.locator('.uppy-DashboardContent-addMore').click();
      await page.waitForTimeout(500);
      await page.locator('.uppy-Dashboard-input').first().setInputFiles([
        { name: 'huge.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(26 * 1024 * 1024) },
      ]);
      await page.waitForTimeout(400);
      await shot('modal-restricted');
      await page.locator('.uppy-Dashboard-AddFilesPanel .uppy-DashboardContent-back').click({ timeout: 3000 }).catch(() => {});
      await page.waitForTimeout(400);
      await page.locator('.uppy-StatusBar-actionBtn--upload').click();
      await page.waitForTimeout(3000);
      await shot('after-upload');
      console.log(size, theme, await page.locator('[aria-label="Files of this message"] li').allInnerTexts());
      await page.getByPlaceholder('Message STOLAS...').fill('What do my files say about owls?');
      await shot('composer-chips');
      await page.keyboard.press('Enter');
      await page.waitForTimeout(2500);
      await shot('sent');
      console.log('errors', v.errors);
      await v.context.close();
      if (process.env.ONE) break;
    }
    if (process.env.ONE) break;
  }
} finally {
  await browser.close();
  await product.stop();
}
