import getPort from 'get-port';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { mailbox, tokenIn } from '../../backend/test/mailbox.ts';
import { newEmail, PASSWORD } from '../../backend/test/new-user.ts';
import { startOpenIdProvider } from '../../backend/test/openid-provider.ts';
import { ownProduct } from './open-product.ts';
import { fillRegistration, fillSignIn, type Visitor, type VisitorOptions } from './product.ts';
import { shot } from './shot.ts';
import { barriers, completes, get, pathOf, send } from './steps.ts';

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
const { url, arrive, guest, product } = await ownProduct({
  PORT: String(port),
  REPLIT_ISSUER: provider.issuer,
  REPLIT_CLIENT_ID: 'at-replit',
  GOOGLE_ISSUER: provider.issuer,
  GOOGLE_CLIENT_ID: 'at-google',
  GOOGLE_CLIENT_SECRET: 'secret',
  RATE_LIMITS: 'false',
});
const mail = mailbox(product.dataDir);

const settings = async (visitor: Visitor) => {
  const page = await visitor.open('/settings');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  return page;
};

async function signIn(visitor: Visitor, email: string): Promise<void> {
  const page = await visitor.open('/login');
  await fillSignIn(page, email);
  await page.getByText('Choose Your Plan').waitFor();
}

/** A new user, on the page of the plans. */
async function register(options?: VisitorOptions) {
  const [visitor, email] = [await arrive(options), newEmail()];
  return { visitor, email, page: await visitor.register(email) };
}

/** Opens a mailed link that sets a new password. */
async function setPassword(visitor: Visitor, token: string): Promise<Page> {
  const page = await visitor.open(`/reset-password#token=${token}`);
  await expect.poll(() => new URL(page.url()).hash).toBe('');
  await page.getByLabel('New password', { exact: true }).fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Set Password' }).click();
  return page;
}

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
    const { visitor, email, page: first } = await register();
    const second = await visitor.open('/subscription');
    await second.getByText(email).waitFor();
    // A call that runs during the sign-out answers 401, which the browser reports.
    await Promise.all([first, second].map((tab) => tab.waitForLoadState('networkidle')));
    const { id } = await get<{ id: string }>(second, '/auth/user');
    await second.evaluate((user) => {
      for (const kind of ['stars', 'draft']) localStorage.setItem(`${kind}:${user}:c`, '[]');
    }, id);

    await first.getByRole('button', { name: 'Sign Out' }).click();
    await Promise.all([first, second].map((tab) => tab.waitForURL('**/login')));
    const kept = await first.evaluate(() => Object.keys(localStorage));
    expect(kept.filter((key) => /^(stars|draft):/.test(key))).toEqual([
      expect.stringMatching(/^stars:/),
    ]);

    await fillSignIn(second, email);
    await second.getByText('Choose Your Plan').waitFor();
    // The first tab reloads as this user, and /login redirects it.
    await first.waitForURL('**/subscription');
    await first.getByText(email).waitFor();
    expect(visitor.errors).toEqual([]);
  });
});

describe('a guest', () => {
  it('registers and keeps the conversations, in every tab', async () => {
    const { visitor, page } = await guest();
    await send(page, 'Remember the owls');
    await completes(page);
    const other = await visitor.open(new URL(page.url()).search);
    await other.getByText('Remember the owls').first().waitFor();

    const email = newEmail();
    await page.goto(`${url}/login`);
    await fillRegistration(page, email);
    // Registered users need a plan to chat; the other tab has followed by itself.
    for (const tab of [page, other]) await tab.getByText(email).waitFor();
    const kept = await get<{ title: string }[]>(page, '/conversations');
    expect(kept.map(({ title }) => title)).toEqual(['Remember the owls']);
    expect(visitor.errors).toEqual([]);
  });
});

describe('a mailed link', () => {
  it('sets a new password, and the old one no longer works', async () => {
    const { visitor, email, page } = await register();
    await page.getByRole('button', { name: 'Sign Out' }).click();
    await page.waitForURL('**/login');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Send Link' }).click();
    await page.getByText('a link is on its way').waitFor();
    await shot(page, 'reset-password');

    const token = tokenIn(await mail.mail(email, 'new password'));
    const opened = await setPassword(visitor, token);
    await opened.getByText(email).waitFor();

    const again = await setPassword(visitor, token);
    await again.getByText('used already or is too old').waitFor();

    const elsewhere = await arrive();
    const login = await elsewhere.open('/login');
    await fillSignIn(login, email);
    await login.getByText('Wrong email address or password.').first().waitFor();
    await fillSignIn(login, email, NEW_PASSWORD);
    await expect.poll(() => pathOf(login)).toBe('/subscription');
  });

  it('confirms the address by a click, and open settings show it', async () => {
    const { visitor, email } = await register();
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
    const { email } = await register();
    const token = tokenIn(await mail.mail(email, 'Confirm'));
    const elsewhere = await arrive();
    const opened = await elsewhere.open(`/verify-email#token=${token}`);
    await opened.getByRole('button', { name: 'Confirm Email Address' }).click();
    await opened.getByRole('link', { name: 'Sign In First' }).click();
    await fillSignIn(opened, email);
    await opened.getByRole('button', { name: 'Confirm Email Address' }).click();
    await opened.getByText('Your email address is confirmed.').waitFor();
    expect(pathOf(opened)).toBe('/verify-email');
  });
});

describe('an address that another user has registered first', () => {
  it('is refused at registration, and a reset gives it to the owner of the mailbox', async () => {
    const owner = await arrive();
    const { email, page: theirs } = await register();
    const page = await owner.open('/login');
    await page.getByRole('button', { name: /Sign up/ }).click();
    await fillRegistration(page, email, NEW_PASSWORD);
    await page
      .getByText('An account with this email already exists. Sign in or reset your password.')
      .first()
      .waitFor();
    await page.goto(`${url}/reset-password`);
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Send Link' }).click();
    const token = tokenIn(await mail.mail(email, 'new password'));
    const opened = await setPassword(owner, token);
    await opened.getByText(email).waitFor();
    await theirs.goto(`${url}/settings`);
    await theirs.waitForURL('**/login');
    expect(pathOf(opened)).toBe('/subscription');
  });
});

describe('in the settings', () => {
  it('ending the session of another browser signs that browser out', async () => {
    const there = await arrive();
    const { visitor: here, email } = await register();
    const mine = await settings(here);
    await signIn(there, email);
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
    const { visitor } = await register();
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
    const { visitor, email } = await register();
    const page = await settings(visitor);
    await page.getByRole('button', { name: 'Delete Account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password', { exact: true }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Delete Account' }).click();
    await page.waitForURL('**/deleted/*');
    await page.goto(new URL('/login', page.url()).href);
    await fillSignIn(page, email);
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
    const { visitor } = await register({ reducedMotion: 'reduce' });
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
