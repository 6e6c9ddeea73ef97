import { expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { pdfOf } from './pdf.ts';
import { WIDE } from './product.ts';
import { shot } from './shot.ts';
import { ask, checkScreen, expectFocus, lastReply } from './steps.ts';
import { attach, pdfFile } from './upload-steps.ts';

const { guest } = await sharedProduct();

const PAGES = [
  'This is the handbook of an observatory. It lists the rules of the house.',
  'The observatory on Mount Seregno was closed in 1931 because of flooding.',
];

it('a reply about an attached file shows supported, contradicted and unsupported claims, with quotations that open at the page', async () => {
  const { visitor, page } = await guest({ ...WIDE, reducedMotion: 'reduce' });
  await attach(page, pdfFile('handbook.pdf', await pdfOf(PAGES)));
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
  await checkScreen(page, 'claims-marks');

  // By keyboard: the mark's button opens the quotation, and the quotation opens the source.
  await reply.getByRole('button', { name: /^Contradicted by a source/ }).press('Enter');
  const panel = page.getByRole('dialog', { name: 'Contradicted' });
  const quotation = panel.getByRole('button', { name: /handbook\.pdf, page 2/ });
  await checkScreen(page, 'claims-panel');
  await quotation.press('Enter');
  const viewer = page.getByRole('complementary', { name: 'File viewer' });
  const picture = viewer.getByRole('group', { name: 'Page 2' });
  await picture.locator('[data-mark]').first().waitFor();
  await expect
    .poll(async () => (await picture.locator('mark').allTextContents()).join(''))
    .toContain('1931');
  await expect.poll(() => viewer.getByLabel('Page', { exact: true }).inputValue()).toBe('2');

  await viewer.press('Escape');

  // The list stands beside the text, with the most severe verdict first.
  await chip.click();
  const list = page.getByRole('complementary', { name: 'Claims of this reply' });
  await expect
    .poll(() => list.getByRole('heading', { level: 3 }).allTextContents())
    .toEqual(['1 contradicted', '1 unsupported', '1 supported']);
  const edges = async () => ({
    list: (await list.boundingBox())?.x ?? 0,
    text: await reply.evaluate((it) => it.getBoundingClientRect().right),
  });
  await expect.poll(async () => (await edges()).text <= (await edges()).list).toBe(true);
  await checkScreen(page, 'claims-list', { phone: true });

  await list.getByRole('button', { name: /1938/ }).first().press('Enter');
  await expect.poll(() => marked('contradicted').getAttribute('data-shown')).toBe('');
  const source = list.getByRole('button', { name: /handbook\.pdf, page 2/ }).first();
  await source.press('Enter');
  await expect.poll(() => viewer.getByLabel('Page', { exact: true }).inputValue()).toBe('2');
  await shot(page, 'claims-source');
  await viewer.getByRole('button', { name: 'Back to the claims' }).press('Enter');
  await expectFocus(source);

  // On a phone the list covers the text and closes when a claim is shown in it.
  await page.setViewportSize({ width: 390, height: 844 });
  const sheet = page.getByRole('dialog', { name: 'Claims of this reply' });
  await sheet.getByRole('button', { name: /1938/ }).first().click();
  await sheet.waitFor({ state: 'hidden' });
  const mark = reply.getByRole('button', { name: /^Contradicted by a source/ });
  await expectFocus(mark);
  await chip.click();
  await sheet
    .getByRole('button', { name: /handbook\.pdf, page 2/ })
    .first()
    .click();
  const file = page.getByRole('dialog', { name: 'File viewer' });
  await file.getByRole('button', { name: 'Back to the claims' }).click();
  await sheet.waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.reload();
  await list.waitFor();
  await list.press('Escape');
  await list.waitFor({ state: 'hidden' });

  await page.reload();
  await marked('contradicted').waitFor();
  await expect.poll(() => chip.textContent()).toContain('1 supported');

  // A claim whose reply has been scrolled out of the list of messages.
  await chip.click();
  const id = await reply.getAttribute('data-message-id');
  await ask(page, '/markdown');
  await ask(page, '/markdown');
  const checked = page.locator(`[data-message-id="${id}"]`);
  await expect.poll(() => checked.count()).toBe(0);
  await list.getByRole('button', { name: /1938/ }).first().click();
  const sentence = checked.locator('.claim-contradicted[data-shown]');
  await expect
    .poll(async () => (await sentence.boundingBox())?.y)
    .toSatisfy((y: number) => y > 100 && y < 700);
  expect(visitor.errors).toEqual([]);
});
