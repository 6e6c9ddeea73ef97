import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ownProduct } from './open-product.ts';
import { textOfPdf } from './pdf.ts';
import { fillRegistration, PHONE, toRegistration, WIDE } from './product.ts';
import { ask, button, checkScreen } from './steps.ts';
import { importMarkdown } from './upload-steps.ts';

const { arrive, subscribe } = await ownProduct({ RATE_LIMITS: 'false' });

const wide = (page: Page) => page.setViewportSize(WIDE.viewport);

/** Opens the dialog from the conversation's menu, by keyboard. */
async function openDialog(page: Page) {
  await page.getByRole('button', { name: 'Actions for this conversation' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Public link…' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Public link to this conversation' });
  await dialog.locator('[data-role=assistant]').waitFor();
  return dialog;
}

async function makeLink(page: Page, choose?: (dialog: Locator) => Promise<void>) {
  const dialog = await openDialog(page);
  await choose?.(dialog);
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const made = page.getByRole('dialog', { name: 'The link is ready' });
  return { made, address: await made.getByLabel('Address').inputValue() };
}

it('a conversation is shared by a link, opened without a session, continued, and revoked', async () => {
  const { visitor: owner, page } = await subscribe('Pro');
  await wide(page);
  await ask(page, 'What do owls eat?');
  const shown = (await page.locator('[data-role=assistant] .reply').textContent()) ?? '';
  const dialog = await openDialog(page);
  await checkScreen(page, 'share-dialog', { phone: true });
  expect(await dialog.locator('[data-role=assistant]').textContent()).toContain(shown.slice(0, 40));
  await page.keyboard.press('Escape');
  const { made, address } = await makeLink(page);
  await checkScreen(page, 'share-made', { phone: true });
  await made.getByRole('button', { name: 'Close' }).last().click();

  // Another browser, without a session: no socket, no call about an account.
  const reader = await arrive({ reducedMotion: 'reduce' });
  const calls: string[] = [];
  reader.context.on('request', (request) => calls.push(new URL(request.url()).pathname));
  const theirs = await reader.open(new URL(address).pathname);
  await wide(theirs);
  await theirs.getByText('What do owls eat?').last().waitFor();
  expect(await theirs.locator('[data-role=assistant]').textContent()).toContain(shown.slice(0, 40));
  expect(calls.filter((path) => /^\/api\/(?!shares\/)|socket/.test(path))).toEqual([]);
  expect(await theirs.locator('meta[name=robots]').getAttribute('content')).toBe('noindex');
  await checkScreen(theirs, 'shared-page', { phone: true });

  // A user of the product copies it.
  const other = await subscribe('Starter');
  const copy = await other.visitor.open(new URL(address).pathname);
  await button(copy, 'Continue in my account').click();
  await copy.getByPlaceholder('Message STOLAS...').waitFor();
  await copy.locator('[data-role=assistant]').waitFor();
  await ask(copy, 'And at night?');

  const settings = await owner.open('/settings#links');
  await wide(settings);
  await settings.getByText(/^Opened \d+ times?, last/).waitFor();
  await checkScreen(settings, 'share-settings', { phone: true });
  await settings.getByRole('button', { name: /^Revoke the link/ }).click();
  await settings.getByText('You have no public links.').waitFor();
  await theirs.reload();
  await theirs.getByText('This link no longer works.').waitFor();
  await checkScreen(theirs, 'share-gone', { phone: true });
});

it('a link to a wide diagram and a long text fits a phone, and is printed whole', async () => {
  const { page } = await subscribe('Pro');
  await wide(page);
  const nights = Array.from({ length: 60 }, (_, n) => `Night ${n} on the mountain was clear.`);
  const diagram =
    'flowchart LR\n  A[A question of the tenant] --> B[Search in the files] --> C[Answer with sources] --> D[A check of its claims]';
  const markdown = `# Nights\n\n## You\n\nDraw it.\n\n## Assistant\n\n\`\`\`mermaid\n${diagram}\n\`\`\`\n\n${nights.join('\n\n')}\n`;
  await importMarkdown(page, markdown, nights.at(-1) ?? '');
  const { address } = await makeLink(page);
  const reader = await arrive(PHONE);
  const theirs = await reader.open(new URL(address).pathname);
  await theirs.locator('.md-diagram[data-drawn]').waitFor();
  const scroller = theirs.locator('main').locator('..');
  expect(await scroller.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
  const printed = await textOfPdf(await theirs.pdf());
  for (const night of nights) expect(printed).toContain(night);
  await reader.context.close();
});

it('a live link shows new messages, and asks again before they are copied', async () => {
  const { page } = await subscribe('Pro');
  await wide(page);
  await ask(page, 'What do owls eat?');
  const { made, address } = await makeLink(page, async (dialog) => {
    await dialog.getByLabel('Shows').selectOption('live');
    await dialog.getByLabel('Names of people and personas').check();
  });
  await made.getByRole('button', { name: 'Close' }).last().click();
  const { visitor } = await subscribe('Starter');
  const theirs = await visitor.open(new URL(address).pathname);
  await theirs.getByText('What do owls eat?').last().waitFor();
  await ask(page, 'And at night?');
  await theirs.getByText('And at night?').last().waitFor();
  await expect
    .poll(() => theirs.locator('[data-role=assistant]').last().getAttribute('aria-busy'))
    .toBe('false');
  await button(theirs, 'Continue in my account').click();
  await theirs.getByPlaceholder('Message STOLAS...').waitFor();
  await theirs.getByText('And at night?').last().waitFor();
});

it('a visitor signs in to continue, and comes back to the link', async () => {
  const { page } = await subscribe('Pro');
  await ask(page, 'What do owls eat?');
  const { address } = await makeLink(page);
  const reader = await arrive({ reducedMotion: 'reduce' });
  const theirs = await reader.open(new URL(address).pathname);
  await theirs.getByRole('link', { name: 'Continue in my account' }).click();
  await toRegistration(theirs);
  await theirs.getByLabel('First Name').fill('Grace');
  await fillRegistration(theirs);
  await button(theirs, 'Continue in my account').click();
  await theirs.getByText('Choose a plan to import conversations.').first().waitFor();
  expect(theirs.url()).toBe(address);
});
