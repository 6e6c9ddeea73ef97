import { randomUUID } from 'node:crypto';
import getPort from 'get-port';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { mailbox, tokenIn } from '../../backend/test/mailbox.ts';
import { startOpenIdProvider } from '../../backend/test/openid-provider.ts';
import { ownProduct } from './open-product.ts';
import { fillSignIn, Visitor } from './product.ts';
import { shot } from './shot.ts';
import { barriers, send, statusOf } from './steps.ts';

const PASSWORD = 'a long enough password';
const NEW_PASSWORD = 'another long password';

const port = await getPort();
const here = `http://localhost:${port}`;
const provider = await startOpenIdProvider([
  { clientId: 'at-replit', redirectUri: `${here}/api/login/callback` },
  {
    clientId: 'at-google',
    clientSecret: 'secret',
    redirectUri: `${here}/api/auth/google/callback`,
  },
]);
const { url, browser, product } = await ownProduct({
  PORT: String(port),
  REPLIT_ISSUER: provider.issuer,
  REPLIT_CLIENT_ID: 'at-replit',
  GOOGLE_ISSUER: provider.issuer,
  GOOGLE_CLIENT_ID: 'at-google',
  GOOGLE_CLIENT_SECRET: 'secret',
  RATE_LIMITS: 'false',
});
const mail = mailbox(product.dataDir);

const newEmail = () => `${randomUUID()}@example.com`;
const arrive = (options?: Parameters<typeof Visitor.arrive>[2]) =>
  Visitor.arrive(browser, url, options);
const pathOf = (page: Page) => new URL(page.url()).pathname;
const settings = async (visitor: Visitor) => {
  const page = await visitor.open('/settings');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  return page;
};

/** Signs in on the provider's own pages. */
async function agree(page: Page, subject: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(subject);
  await page.getByPlaceholder('and password').fill('x');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

const SKIPPING_WIDGET = `window.google = { accounts: { id: {
  initialize() {},
  prompt(tell) { tell({ isSkippedMoment: () => true, isDismissedMoment: () => false }); },
} } };`;

describe('a user with two tabs', () => {
  it('registers, signs out in one tab, which sends the other to /login, and signs in there', async () => {
    const visitor = await arrive();
    const email = newEmail();
    const first = await visitor.register(email, PASSWORD);
    const second = await visitor.open('/subscription');
    await second.getByText(email).waitFor();
    // A call that runs during the sign-out answers 401, which the browser reports.
    await Promise.all([first, second].map((tab) => tab.waitForLoadState('networkidle')));
    await second.evaluate(async () => {
      const { authToken } = localStorage;
      const headers = { authorization: `Bearer ${authToken}` };
      const { id } = (await (await fetch('/api/auth/user', { headers })).json()) as { id: string };
      for (const kind of ['stars', 'draft']) localStorage.setItem(`${kind}:${id}:c`, '[]');
    });

    await first.getByRole('button', { name: 'Sign Out' }).click();
    await Promise.all([first, second].map((tab) => tab.waitForURL('**/login')));
    const kept = await first.evaluate(() => Object.keys(localStorage));
    expect(kept.filter((key) => /^(stars|draft):/.test(key))).toEqual([
      expect.stringMatching(/^stars:/),
    ]);

    await fillSignIn(second, email, PASSWORD);
    await second.getByText('Choose Your Plan').waitFor();
    // The first tab reloads as this user, and /login redirects it.
    await first.waitForURL('**/subscription');
    await first.getByText(email).waitFor();
    expect(visitor.errors).toEqual([]);
  });
});

describe('a guest', () => {
  it('registers and keeps the conversations, in every tab', async () => {
    const visitor = await arrive();
    const page = await visitor.enterAsGuest();
    await page.getByRole('button', { name: 'Start New Conversation' }).click();
    await send(page, 'Remember the owls');
    await expect.poll(() => statusOf(page)).toBe('complete');
    const other = await visitor.open(new URL(page.url()).search);
    await other.getByText('Remember the owls').first().waitFor();

    const email = newEmail();
    await page.goto(`${url}/login`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create Account' }).click();
    // Registered users need a plan to chat; the other tab has followed by itself.
    for (const tab of [page, other]) await tab.getByText(email).waitFor();
    const titles = await page.evaluate(async () => {
      const authorization = `Bearer ${localStorage.getItem('authToken')}`;
      const answer = await fetch('/api/conversations', { headers: { authorization } });
      return ((await answer.json()) as { title: string }[]).map(({ title }) => title);
    });
    expect(titles).toEqual(['Remember the owls']);
    expect(visitor.errors).toEqual([]);
  });
});

describe('a mailed link', () => {
  it('sets a new password, and the old one no longer works', async () => {
    const visitor = await arrive();
    const email = newEmail();
    const page = await visitor.register(email, PASSWORD);
    await page.getByRole('button', { name: 'Sign Out' }).click();
    await page.waitForURL('**/login');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Send Link' }).click();
    await page.getByText('a link is on its way').waitFor();
    await shot(page, 'reset-password');

    const token = tokenIn(await mail.mail(email, 'new password'));
    const opened = await visitor.open(`/reset-password#token=${token}`);
    await expect.poll(() => new URL(opened.url()).hash).toBe('');
    await opened.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await opened.getByRole('button', { name: 'Set Password' }).click();
    await opened.getByText(email).waitFor();

    const again = await visitor.open(`/reset-password#token=${token}`);
    await again.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await again.getByRole('button', { name: 'Set Password' }).click();
    await again.getByText('used already or is too old').waitFor();

    const elsewhere = await arrive();
    const login = await elsewhere.open('/login');
    await fillSignIn(login, email, PASSWORD);
    await login.getByText('Wrong email address or password.').first().waitFor();
    await fillSignIn(login, email, NEW_PASSWORD);
    await login.waitForURL('**/subscription');
  });

  it('confirms the address by a click, and open settings show it', async () => {
    const visitor = await arrive();
    const email = newEmail();
    await visitor.register(email, PASSWORD);
    const page = await settings(visitor);
    await page.getByText('Not confirmed yet').waitFor();
    const token = tokenIn(await mail.mail(email, 'Confirm'));
    const opened = await visitor.open(`/verify-email#token=${token}`);
    await opened.getByRole('button', { name: 'Confirm Email Address' }).waitFor();
    await page.reload();
    await page.getByText('Not confirmed yet').waitFor();
    await opened.getByRole('button', { name: 'Confirm Email Address' }).click();
    await opened.getByText('Your email address is confirmed.').waitFor();
    await shot(opened, 'verify-email');
    await page.getByText('Confirmed', { exact: true }).waitFor();
    await shot(page, 'settings');
    expect(visitor.errors).toEqual([]);
  });

  it('asks for a sign-in when opened in another browser, then confirms', async () => {
    const visitor = await arrive();
    const email = newEmail();
    await visitor.register(email, PASSWORD);
    const token = tokenIn(await mail.mail(email, 'Confirm'));
    const elsewhere = await arrive();
    const opened = await elsewhere.open(`/verify-email#token=${token}`);
    await opened.getByRole('button', { name: 'Confirm Email Address' }).click();
    await opened.getByRole('link', { name: 'Sign In First' }).click();
    await fillSignIn(opened, email, PASSWORD);
    await opened.getByRole('button', { name: 'Confirm Email Address' }).click();
    await opened.getByText('Your email address is confirmed.').waitFor();
    expect(pathOf(opened)).toBe('/verify-email');
  });
});

describe('an address that another user has registered first', () => {
  it('is refused at registration, and a reset gives it to the owner of the mailbox', async () => {
    const [intruder, owner] = await Promise.all([arrive(), arrive()]);
    const email = newEmail();
    const theirs = await intruder.register(email, PASSWORD);
    const page = await owner.open('/login');
    await page.getByRole('button', { name: /Sign up/ }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Create Account' }).click();
    await page
      .getByText('An account with this email already exists. Sign in or reset your password.')
      .first()
      .waitFor();
    await page.goto(`${url}/reset-password`);
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Send Link' }).click();
    const token = tokenIn(await mail.mail(email, 'new password'));
    const opened = await owner.open(`/reset-password#token=${token}`);
    await opened.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await opened.getByRole('button', { name: 'Set Password' }).click();
    await opened.getByText(email).waitFor();
    await theirs.goto(`${url}/settings`);
    await theirs.waitForURL('**/login');
    expect(pathOf(opened)).toBe('/subscription');
  });
});

describe('in the settings', () => {
  it('ending the session of another browser signs that browser out', async () => {
    const [here, there] = await Promise.all([arrive(), arrive()]);
    const email = newEmail();
    await here.register(email, PASSWORD);
    const mine = await settings(here);
    await there.signIn(email, PASSWORD);
    const theirs = await settings(there);
    const loads: string[] = [];
    theirs.on('request', (request) => {
      if (request.isNavigationRequest()) loads.push(new URL(request.url()).pathname);
    });
    // The list has grown by itself.
    await mine.getByRole('button', { name: /Sign Out of/ }).click();
    await theirs.waitForURL('**/login');
    await expect.poll(() => mine.getByRole('button', { name: /Sign Out of/ }).count()).toBe(0);
    expect(pathOf(mine)).toBe('/settings');
    // Socket and calls report it at once; a second load would abort the first.
    expect(loads).toEqual(['/login']);
    expect(here.errors).toEqual([]);
  });

  it('changes the name and the password', async () => {
    const visitor = await arrive();
    const email = newEmail();
    await visitor.register(email, PASSWORD);
    const page = await settings(visitor);
    await page.getByLabel('Last Name').fill('Lovelace');
    await page.getByRole('button', { name: 'Save Name' }).click();
    await page.getByText('Your name is saved').first().waitFor();
    await page.getByLabel('Current password', { exact: true }).fill('not the password');
    await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Change Password' }).click();
    await page.getByText('This is not your current password.').waitFor();
    await page.getByLabel('Current password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Change Password' }).click();
    await page.getByText('Password changed').first().waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('Last Name').inputValue()).toBe('Lovelace');
  });

  it('deletes the account, after which no sign-in to it succeeds', async () => {
    const visitor = await arrive();
    const email = newEmail();
    await visitor.register(email, PASSWORD);
    const page = await settings(visitor);
    await page.getByRole('button', { name: 'Delete Account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password', { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Delete Account' }).click();
    await page.waitForURL('**/deleted/*');
    await page.goto(new URL('/login', page.url()).href);
    await fillSignIn(page, email, PASSWORD);
    await page.getByText('Wrong email address or password.').first().waitFor();
    expect(pathOf(page)).toBe('/login');
  });
});

describe('sign-in providers', () => {
  it('Replit redirects there and back and signs in', async () => {
    const visitor = await arrive();
    const email = newEmail();
    provider.people.set('ada', { email, email_verified: true, first_name: 'Ada' });
    const page = await visitor.open('/login');
    await page.getByRole('button', { name: 'Replit' }).click();
    await agree(page, 'ada');
    await page.getByText(email).waitFor();
    expect(pathOf(page)).toBe('/subscription');
    await page.reload();
    await page.getByText(email).waitFor();
  });

  it('Google signs in by redirect when its widget shows no prompt', async () => {
    const visitor = await arrive();
    const email = newEmail();
    provider.people.set('grace', { email, email_verified: true, given_name: 'Grace' });
    // A stand-in for the widget: the page's policy allows it, and it skips its prompt.
    await visitor.context.route('https://accounts.google.com/gsi/client', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: SKIPPING_WIDGET }),
    );
    const page = await visitor.open('/login?plan=pro');
    await page.getByRole('button', { name: 'Google' }).click();
    await agree(page, 'grace');
    await page.getByText(email).waitFor();
    expect(new URL(page.url()).search).toBe('?plan=pro');
    // The provider's pages load fonts from other hosts. Only the widget must not be blocked.
    expect(visitor.errors.filter((error) => error.includes('Content Security Policy'))).toEqual([]);
  });

  it('an invented error code shows the default sentence, never its own text', async () => {
    const visitor = await arrive();
    const page = await visitor.open('/login?error=<img src=x onerror=alert(1)>');
    await page.getByText('Signing in did not work.').waitFor();
    await shot(page, 'login-error');
    expect(await page.locator('img').count()).toBe(0);
    await page.goto(`${url}/login?error=cancelled`);
    await page.getByText('The sign-in was cancelled.').waitFor();
    expect(visitor.errors).toEqual([]);
  });
});

describe('every page of an account', () => {
  it('has no serious accessibility errors', async () => {
    const visitor = await arrive({ reducedMotion: 'reduce' });
    await visitor.register(newEmail(), PASSWORD);
    const page = await settings(visitor);
    await page.getByText('This browser, signed in').waitFor();
    await page.getByRole('button', { name: 'Change Email' }).click();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Delete Account' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await barriers(page)).toEqual([]);
    for (const [address, sign] of [
      ['/reset-password', 'Send Link'],
      ['/reset-password#token=x', 'Set Password'],
      ['/verify-email', 'Go to STOLAS'],
      ['/test', 'Test Auth Status'],
    ] as const) {
      const opened = await visitor.open(address);
      await opened.getByText(sign).waitFor();
      expect(await barriers(opened)).toEqual([]);
    }
  });
});
