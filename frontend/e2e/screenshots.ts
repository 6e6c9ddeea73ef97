// Screenshots of the screens, dark and light, wide and narrow, in screenshots/.
import { mkdirSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { billing } from './billing-screenshots.ts';
import { features } from './feature-screenshots.ts';
import { files } from './file-screenshots.ts';
import { startBrowser, startProduct, Visitor } from './product.ts';

const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };
const THEMES = ['dark', 'light'] as const;
const FOLDER = 'screenshots';

async function pictures(
  browser: Browser,
  url: string,
  size: keyof typeof SIZES,
  theme: 'dark' | 'light',
) {
  const isMobile = size === 'narrow';
  const look = {
    viewport: SIZES[size],
    colorScheme: theme,
    // Ended by Playwright, animations that follow the scroll position would stand at their end.
    reducedMotion: 'reduce' as const,
    isMobile,
    hasTouch: isMobile,
    deviceScaleFactor: isMobile ? 2 : 1,
  };
  const visitor = await Visitor.arrive(browser, url, look);
  const shot = async (page: Page, name: string) => {
    await page.screenshot({ path: `${FOLDER}/${name}-${size}-${theme}.png` });
  };
  const page = await visitor.open();
  await page.getByRole('link', { name: 'Enter STOLAS' }).first().waitFor();
  await shot(page, 'landing');
  await page.goto(`${url}/login`);
  await page.getByRole('button', { name: 'Sign In' }).waitFor();
  await shot(page, 'login');
  await page.getByRole('button', { name: 'Continue as Guest (Demo Mode)' }).click();
  await page.getByText('Start New Conversation').waitFor();
  await shot(page, 'welcome');
  await chat(page, shot);
  await files(page, { url, shot });
  await account(page, { url, shot });
  await visitor.context.close();
  const other = await Visitor.arrive(browser, url, look);
  await features(await other.enterAsGuest(), { url, shot });
  await other.context.close();
}

async function chat(page: Page, shot: (page: Page, name: string) => Promise<void>) {
  await page.getByRole('button', { name: 'Start New Conversation' }).click();
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
  await send('What can you show me about owls?');
  await replied();
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
  await editor.press('Enter');
  await page.getByText('2/2').waitFor();
  await replied();
  await page.getByText('2/2').scrollIntoViewIfNeeded();
  await shot(page, 'versions');
  await page.getByPlaceholder('Message STOLAS...').fill('Too long. '.repeat(4_000));
  await shot(page, 'too-long');
  await page.getByPlaceholder('Message STOLAS...').fill('');
}

async function account(
  page: Page,
  { url, shot }: { url: string; shot: (page: Page, name: string) => Promise<void> },
) {
  const settings = async (name: string) => {
    await page.goto(`${url}/settings`);
    await page.getByText('This browser').waitFor();
    await shot(page, name);
  };
  await settings('settings-guest');
  await page.goto(`${url}/login?error=expired`);
  await page.getByLabel('Email').fill(`${crypto.randomUUID()}@example.com`);
  await page.getByLabel('Password', { exact: true }).fill('a long enough password');
  await shot(page, 'login-error');
  await page.getByRole('button', { name: 'Create Account' }).click();
  await page.getByText('Choose Your Plan').waitFor();
  await billing(page, { url, shot });
  await settings('settings');
  await page.getByRole('button', { name: 'Delete Account' }).scrollIntoViewIfNeeded();
  await shot(page, 'settings-end');
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

mkdirSync(FOLDER, { recursive: true });
const [product, browser] = await Promise.all([
  // So that the content security policy admits the payment form.
  startProduct({ STRIPE_UI: 'embedded' }),
  startBrowser(),
]);
try {
  for (const size of ['wide', 'narrow'] as const)
    for (const theme of THEMES) await pictures(browser, product.url, size, theme);
} finally {
  await browser.close();
  await product.stop();
}
