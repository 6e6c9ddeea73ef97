// Screenshots of the chat of a new guest, and of signing in and the account.
import type { Page } from 'playwright-core';
import { billing } from './billing-screenshots.ts';
import { type Options, whole } from './picture-steps.ts';

/** @param page of a guest */
export async function chat(page: Page, { shot }: Options) {
  await shot(page, 'welcome');
  await page.getByRole('button', { name: 'Start New Conversation' }).click();
  await page.getByText('Start a new conversation').first().waitFor();
  await shot(page, 'new');
  const send = async (text: string) => {
    await page.getByPlaceholder('Message STOLAS...').fill(text);
    await page.getByRole('button', { name: 'Send message' }).click();
  };
  // Only the rows in view are mounted, so replies are not counted: the button tells when one has ended.
  const stop = page.getByRole('button', { name: 'Stop' });
  const replied = async () => {
    await stop.waitFor();
    await stop.waitFor({ state: 'hidden' });
  };
  const last = page.locator('[data-role=assistant]').last();
  await send('/slow 60');
  await stop.waitFor();
  await shot(page, 'waiting');
  await stop.click();
  await stop.waitFor({ state: 'hidden' });
  await shot(page, 'stopped');
  await send('/markdown');
  await page.locator('[data-role=assistant][data-status=streaming]').last().waitFor();
  await shot(page, 'streaming');
  await stop.waitFor({ state: 'hidden' });
  await last.scrollIntoViewIfNeeded();
  await shot(page, 'chat');
  await send('/fail cut');
  await page.locator('[data-role=assistant][data-status=failed]').waitFor();
  await shot(page, 'failed');
  const typed =
    'Compare `a\\b` with https://example.org/owls\n\n```ts\nconst owl = 1;\n```\n# not a heading';
  await send(typed);
  await replied();
  await page.locator('[data-role=user]').last().getByRole('button', { name: 'Edit' }).click();
  const editor = page.getByRole('textbox', { name: 'Edit message' });
  await editor.scrollIntoViewIfNeeded();
  await shot(page, 'edit');
  // By its button, because Enter makes a new line on a phone.
  await page
    .locator('form')
    .filter({ has: editor })
    .getByRole('button', { name: 'Send', exact: true })
    .click();
  await page.getByText('2/2').waitFor();
  await replied();
  await page.getByText('2/2').scrollIntoViewIfNeeded();
  await shot(page, 'versions');
  await page.getByPlaceholder('Message STOLAS...').fill('Too long. '.repeat(4_000));
  await shot(page, 'too-long');
  await page.getByPlaceholder('Message STOLAS...').fill('');
}

/** @param page of a guest */
export async function account(page: Page, { url, shot }: Options) {
  const settings = async () => {
    await page.goto(`${url}/settings`);
    await page.getByText('This browser').waitFor();
  };
  await settings();
  await shot(page, 'settings-guest');
  await page.goto(`${url}/login?error=expired`);
  await page.getByLabel('Email').fill(`ada-${crypto.randomUUID().slice(0, 8)}@example.com`);
  await page.getByLabel('Password', { exact: true }).fill('a long enough password');
  await shot(page, 'login-error');
  await page.getByRole('button', { name: 'Create Account' }).click();
  await page.getByText('Choose Your Plan').waitFor();
  await billing(page, { url, shot });
  await settings();
  await whole(page, shot, 'settings');
  await page.getByRole('button', { name: 'Delete Account' }).click();
  await page.getByRole('dialog').waitFor();
  await shot(page, 'settings-delete');
  await page.goto(`${url}/reset-password`);
  await page.getByRole('button', { name: 'Send Link' }).waitFor();
  await shot(page, 'reset-password');
  await page.goto(`${url}/verify-email`);
  await page.getByText('not complete').waitFor();
  await shot(page, 'verify-email');
}
