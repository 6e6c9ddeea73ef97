// Screenshots of what is open to everybody, in English and German, and of the receipt of a deletion.
import type { Page } from 'playwright-core';
import { ask, begin, type Options, whole } from './picture-steps.ts';

/** @param page of a visitor who is not signed in */
export async function publicPages(page: Page, { url, shot }: Options) {
  const open = async (path: string) => {
    await page.goto(`${url}${path}`);
    await page.getByRole('heading').first().waitFor();
  };
  await open('/');
  await page.getByRole('link', { name: 'Enter STOLAS' }).first().waitFor();
  await whole(page, shot, 'landing');
  await open('/features');
  await whole(page, shot, 'features');
  await open('/privacy');
  await page.getByRole('heading', { name: 'Language model' }).waitFor();
  await whole(page, shot, 'privacy');
  await open('/login');
  await page.getByRole('button', { name: 'Sign In' }).waitFor();
  await shot(page, 'login');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign In' }).click();
  await page.locator('[aria-invalid=true]').first().waitFor();
  await shot(page, 'login-wrong');
  await page.goto(`${url}/deleted/${'0'.repeat(48)}`);
  await page.getByRole('main').waitFor();
  await shot(page, 'receipt-missing');
  await deletion(page, { url, shot });
}

async function deletion(page: Page, options: Options) {
  const { url, shot } = options;
  await page.goto(`${url}/login`);
  await page.getByRole('button', { name: 'Continue as Guest (Demo Mode)' }).click();
  await page.getByText('Start New Conversation').waitFor();
  await begin(page, options);
  await ask(page, 'Remember the boreal owl.');
  await page.goto(`${url}/settings`);
  await page.getByRole('button', { name: 'Delete Account' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete Account' }).click();
  await page.waitForURL(/\/deleted\//);
  await page.getByRole('heading', { name: 'Your account is deleted' }).waitFor();
  await shot(page, 'deleted-running');
  await page.getByText('Every store was checked: nothing is left.').waitFor({ timeout: 120_000 });
  await whole(page, shot, 'deleted');
}

/** Each screen that has an address of its own. @param page of a visitor whose browser prefers German */
export async function german(page: Page, { url, shot }: Options) {
  for (const path of ['/', '/features', '/privacy', '/login']) {
    await page.goto(`${url}${path}`);
    await page.getByRole('heading').first().waitFor();
    await whole(page, shot, `de${path === '/' ? '-landing' : path.replace('/', '-')}`);
  }
  await page.getByRole('button', { name: 'Als Gast fortfahren (Demo-Modus)' }).click();
  await page.getByPlaceholder('Nachricht an STOLAS').waitFor();
  await shot(page, 'de-home');
  for (const [name, path] of [
    ['new', '/?c=new'],
    ['memory', '/memory'],
    ['files', '/files'],
    ['personas', '/personas'],
    ['editor', '/personas?id=new'],
    ['fusion', '/personas?fuse'],
    ['settings', '/settings'],
    ['subscription', '/subscription'],
  ]) {
    await page.goto(`${url}${path}`);
    await page.getByRole('heading').first().waitFor();
    await whole(page, shot, `de-${name}`);
  }
}
