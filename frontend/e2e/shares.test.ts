import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ownProduct } from './open-product.ts';
import { button, subscribeAt } from './payment-steps.ts';
import { Visitor } from './product.ts';
import { shot } from './shot.ts';
import { ask, barriers } from './steps.ts';

const { url, browser } = await ownProduct({ RATE_LIMITS: 'false' });

const wide = (page: Page) => page.setViewportSize({ width: 1440, height: 900 });

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
  const { visitor: owner, page } = await subscribeAt({ url, browser }, 'Pro');
  await wide(page);
  await ask(page, 'What do owls eat?');
  const shown = (await page.locator('[data-role=assistant] .reply').textContent()) ?? '';
  const dialog = await openDialog(page);
  expect(await barriers(page)).toEqual([]);
  await shot(page, 'share-dialog', { phone: true });
  expect(await dialog.locator('[data-role=assistant]').textContent()).toContain(shown.slice(0, 40));
  await page.keyboard.press('Escape');
  const { made, address } = await makeLink(page);
  expect(await barriers(page)).toEqual([]);
  await shot(page, 'share-made', { phone: true });
  await made.getByRole('button', { name: 'Close' }).last().click();

  // Another browser, without a session: no socket, no call about an account.
  const reader = await Visitor.arrive(browser, url, { reducedMotion: 'reduce' });
  const calls: string[] = [];
  reader.context.on('request', (request) => calls.push(new URL(request.url()).pathname));
  const theirs = await reader.open(new URL(address).pathname);
  await wide(theirs);
  await theirs.getByText('What do owls eat?').last().waitFor();
  expect(await theirs.locator('[data-role=assistant]').textContent()).toContain(shown.slice(0, 40));
  expect(calls.filter((path) => /^\/api\/(?!shares\/)|socket/.test(path))).toEqual([]);
  expect(await theirs.locator('meta[name=robots]').getAttribute('content')).toBe('noindex');
  expect(await barriers(theirs)).toEqual([]);
  await shot(theirs, 'shared-page', { phone: true });

  // A user of the product copies it.
  const other = await subscribeAt({ url, browser }, 'Starter');
  const copy = await other.visitor.open(new URL(address).pathname);
  await button(copy, 'Continue in my account').click();
  await copy.getByPlaceholder('Message STOLAS...').waitFor();
  await copy.locator('[data-role=assistant]').waitFor();
  await ask(copy, 'And at night?');

  const settings = await owner.open('/settings#links');
  await wide(settings);
  await settings.getByText(/^Opened \d+ times?, last/).waitFor();
  expect(await barriers(settings)).toEqual([]);
  await shot(settings, 'share-settings', { phone: true });
  await settings.getByRole('button', { name: /^Revoke the link/ }).click();
  await settings.getByText('You have no public links.').waitFor();
  await theirs.reload();
  await theirs.getByText('This link no longer works.').waitFor();
  expect(await barriers(theirs)).toEqual([]);
  await shot(theirs, 'share-gone', { phone: true });
});

it('a live link shows new messages, and asks again before they are copied', async () => {
  const { page } = await subscribeAt({ url, browser }, 'Pro');
  await wide(page);
  await ask(page, 'What do owls eat?');
  const { made, address } = await makeLink(page, async (dialog) => {
    await dialog.getByLabel('Shows').selectOption('live');
    await dialog.getByLabel('Names of people and personas').check();
  });
  await made.getByRole('button', { name: 'Close' }).last().click();
  const { visitor } = await subscribeAt({ url, browser }, 'Starter');
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
  const { page } = await subscribeAt({ url, browser }, 'Pro');
  await ask(page, 'What do owls eat?');
  const { address } = await makeLink(page);
  const reader = await Visitor.arrive(browser, url, { reducedMotion: 'reduce' });
  const theirs = await reader.open(new URL(address).pathname);
  await theirs.getByRole('link', { name: 'Continue in my account' }).click();
  await theirs.getByRole('button', { name: "Don't have an account? Sign up" }).click();
  await theirs.getByLabel('First Name').fill('Grace');
  await theirs.getByLabel('Email').fill(`${crypto.randomUUID()}@example.com`);
  await theirs.getByLabel('Password', { exact: true }).fill('a long enough password');
  await button(theirs, 'Create Account').click();
  await button(theirs, 'Continue in my account').click();
  await theirs.getByText('Choose a plan to import conversations.').first().waitFor();
  expect(theirs.url()).toBe(address);
});
