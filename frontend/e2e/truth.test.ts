import { expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { pdfOf } from './pdf.ts';
import { Visitor } from './product.ts';
import { shot } from './shot.ts';
import { ask, barriers, lastReply } from './steps.ts';
import { attach } from './upload-steps.ts';

const { url, browser } = await sharedProduct();

const PAGES = [
  'This is the handbook of an observatory. It lists the rules of the house.',
  'The observatory on Mount Seregno was closed in 1931 because of flooding.',
];

it('a reply about an attached file shows supported, contradicted and unsupported claims, with quotations that open at the page', async () => {
  const visitor = await Visitor.arrive(browser, url, {
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  });
  const page = await visitor.enterAsGuest();
  await page.getByRole('button', { name: 'Start New Conversation' }).click();
  await attach(page, {
    name: 'handbook.pdf',
    mimeType: 'application/pdf',
    buffer: pdfOf(PAGES),
  });
  await ask(page, '/claims');
  const reply = lastReply(page);
  expect(await reply.locator('.claim').count()).toBe(0);
  await reply.getByRole('button', { name: 'Check against sources' }).click();
  const chip = reply.getByRole('button', { name: /^Claims of this reply/ });
  await chip.waitFor();
  await expect
    .poll(() => chip.textContent())
    .toBe('Claims of this reply1 contradicted1 unsupported1 supported');

  const marked = (verdict: string) => reply.locator(`.claim-${verdict}`);
  await marked('supported').waitFor();
  await expect.poll(() => marked('supported').textContent()).toBe(PAGES[1]);
  await expect.poll(() => marked('contradicted').textContent()).toContain('1938');
  await expect.poll(() => marked('unsupported').textContent()).toContain('lanterns');
  const patterns = () =>
    reply
      .locator('.claim')
      .evaluateAll((marks) => marks.map((mark) => getComputedStyle(mark).textDecorationStyle));
  await expect.poll(patterns).toEqual(['solid', 'wavy', 'dashed']);
  expect(await barriers(page)).toEqual([]);
  await shot(page, 'claims-marks');

  // By keyboard: the mark's button opens the quotation, and that the source.
  await reply.getByRole('button', { name: /^Contradicted by a source/ }).press('Enter');
  const panel = page.getByRole('dialog', { name: 'Contradicted' });
  const quotation = panel.getByRole('button', { name: /handbook\.pdf, page 2/ });
  expect(await barriers(page)).toEqual([]);
  await shot(page, 'claims-panel');
  await quotation.press('Enter');
  const viewer = page.getByRole('complementary', { name: 'File viewer' });
  const picture = viewer.getByRole('group', { name: 'Page 2' });
  await picture.locator('[data-mark]').first().waitFor();
  await expect
    .poll(async () => (await picture.locator('mark').allTextContents()).join(''))
    .toContain('1931');
  await expect.poll(() => viewer.getByLabel('Page', { exact: true }).inputValue()).toBe('2');

  await page.reload();
  await marked('contradicted').waitFor();
  await expect.poll(() => chip.textContent()).toContain('1 supported');
  expect(visitor.errors).toEqual([]);
});
