import { PLANS } from '@stolas/backend/contract';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { newEmail } from '../../backend/test/new-user.ts';
import { sharedProduct } from './open-product.ts';
import { notice } from './payment-steps.ts';
import { fillSignIn, toRegistration, type Visitor, type VisitorOptions } from './product.ts';
import { shot } from './shot.ts';
import {
  barriersInBothThemes,
  button,
  expectFocus,
  expectWhole,
  get,
  hold,
  pathOf,
} from './steps.ts';

// Each test is named by the sentences of docs/product.md ('Screens') that it proves, for every screen but the chat.

const { url, arrive, register, subscribe } = await sharedProduct();
/** A tab of a Pro subscriber. */
let pro: Visitor;
let proPage: Page;

beforeAll(async () => {
  ({ visitor: pro, page: proPage } = await subscribe('Pro'));
});

async function visit(path: string, options: VisitorOptions = { reducedMotion: 'reduce' }) {
  const visitor = await arrive(options);
  return { visitor, page: await visitor.open(path) };
}

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

describe('the routes', () => {
  it('"/" shows the landing page if not authenticated, and never the loader without a session', async () => {
    const { page } = await visit('/');
    await link(page, 'Enter STOLAS').waitFor();
    expect(pathOf(page)).toBe('/');
  });

  it('"/" shows the chat if authenticated and subscribed; /login goes to / then', async () => {
    const page = await pro.open('/');
    await button(page, 'New Chat').waitFor();
    await page.goto(`${url}/login`);
    await expect.poll(() => pathOf(page)).toBe('/');
    await page.close();
  });

  it('"/" and /login go to /subscription if authenticated and not subscribed', async () => {
    const { page } = await register();
    for (const path of ['/', '/login']) {
      await page.goto(`${url}${path}`);
      await expect.poll(() => pathOf(page)).toBe('/subscription');
      await page.getByText('Choose Your Plan').waitFor();
    }
  });

  it('any other path shows the 404 page, whose link leads to /', async () => {
    const { page } = await visit('/no/such/page');
    await page.getByRole('heading', { name: '404 Page Not Found' }).waitFor();
    await shot(page, '404');
    await page
      .getByText("The page you're looking for doesn't exist or has been moved.", { exact: true })
      .waitFor();
    await link(page, 'Return to Chat').click();
    await expect.poll(() => pathOf(page)).toBe('/');
  });

  it('while the auth state loads, a full-screen spinner shows the text "Loading STOLAS..."', async () => {
    const page = await pro.context.newPage();
    const release = await hold(page, 'GET', '**/api/auth/user');
    await page.goto(url);
    await page.getByText('Loading STOLAS...', { exact: true }).waitFor();
    expect(await button(page, 'New Chat').count()).toBe(0);
    release();
    await button(page, 'New Chat').waitFor();
    await page.close();
  });

  it('after sign-out the browser goes to /login, and also when another open tab announces sign-out', async () => {
    const { visitor, page } = await register();
    const other = await visitor.open('/subscription');
    await button(other, 'Sign Out').click();
    for (const tab of [page, other]) await expect.poll(() => pathOf(tab)).toBe('/login');
  });
});

describe('the landing page', () => {
  it('has buttons Enter STOLAS, View Live Demo, Get Started and Go Pro, which all go to /login', async () => {
    const { page } = await visit('/');
    expect(await link(page, 'View Live Demo').getAttribute('href')).toBe('/login?demo=true');
    for (const name of ['Enter STOLAS', 'Get Started', 'Go Pro']) {
      await link(page, name).click();
      await expect.poll(() => pathOf(page)).toBe('/login');
      await page.goBack();
    }
  });

  it('has a feature grid, a "Perfect For" section, the prices, "MOST POPULAR" and "Annual billing saves 20%"', async () => {
    const { page } = await visit('/');
    await page.getByRole('heading', { name: 'Perfect For' }).waitFor();
    await page.getByText('Annual billing saves 20%', { exact: true }).waitFor();
    const plan = (name: string) => page.getByRole('region', { name, exact: true }).textContent();
    expect(await plan('Starter')).toContain('$29/month');
    expect(await plan('Pro')).toContain('$179/month');
    expect(await plan('Pro')).toContain('MOST POPULAR');
    const claims = page.getByRole('region', { name: 'An assistant that shows its work' });
    await expect.poll(() => claims.getByRole('heading', { level: 3 }).count()).toBe(8);
    await shot(page, 'landing');
  });

  it('plays the recorded conversation without moving anything on the page', async () => {
    const { visitor, page } = await visit('/', {});
    await page.getByText('A recorded conversation', { exact: true }).scrollIntoViewIfNeeded();
    await page.getByRole('button', { name: 'Play again' }).waitFor();
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new PerformanceObserver((list) => {
            const shifts = list.getEntries() as (PerformanceEntry & { value: number })[];
            resolve(shifts.reduce((sum, { value }) => sum + value, 0));
          }).observe({ type: 'layout-shift', buffered: true });
          setTimeout(resolve, 0, 0);
        }),
    );
    expect(shift).toBeLessThan(0.01);
    expect(visitor.errors).toEqual([]);
  });
});

describe('/login', () => {
  it('has buttons for Google, GitHub, Discord and Replit; GitHub and Discord are coming soon', async () => {
    const { page } = await visit('/login');
    await page.getByText('Other ways to sign in').click();
    for (const name of ['Google', 'Replit']) await button(page, name).waitFor();
    await shot(page, 'login');
    for (const name of ['GitHub', 'Discord']) {
      await button(page, name).click();
      await notice(page, 'Coming Soon');
      await page.getByText(`${name} login will be available soon.`, { exact: true }).waitFor();
    }
    const asked = page.waitForRequest((request) => request.url().endsWith('/api/login'));
    await button(page, 'Replit').click();
    expect((await asked).isNavigationRequest()).toBe(true);
  });

  it('starts the live demo by itself', async () => {
    const { page } = await visit('/');
    await link(page, 'View Live Demo').click();
    await page.getByText('Start New Conversation').waitFor();
    expect(pathOf(page)).toBe('/');
  });

  it('toggles to registration, which adds First Name and Last Name, and back', async () => {
    const { page } = await visit('/login');
    await toRegistration(page);
    await page.getByLabel('First Name').waitFor();
    await page.getByLabel('Last Name').waitFor();
    await button(page, 'Create Account').waitFor();
    await button(page, 'Already have an account? Sign in').click();
    await button(page, 'Sign In').waitFor();
    await expect.poll(() => page.getByLabel('First Name').count()).toBe(0);
  });

  it('shows and hides the password', async () => {
    const { page } = await visit('/login');
    const field = page.getByLabel('Password', { exact: true });
    await button(page, 'Show password').click();
    await expect.poll(() => field.getAttribute('type')).toBe('text');
    await button(page, 'Hide password').click();
    await expect.poll(() => field.getAttribute('type')).toBe('password');
  });

  it('"Continue as Guest (Demo Mode)" opens the chat', async () => {
    const { page } = await visit('/login');
    await button(page, 'Continue as Guest (Demo Mode)').click();
    await expect.poll(() => pathOf(page)).toBe('/');
    await button(page, 'New Chat').waitFor();
  });

  it('a failure is a notice "Login Failed" and stands at its field, which keeps the focus in the form', async () => {
    const { page } = await visit('/login');
    await fillSignIn(page, newEmail());
    await notice(page, 'Login Failed');
    const field = page.getByLabel('Password', { exact: true });
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await shot(page, 'login-wrong');
    await expectFocus(field);
  });
});

describe('/subscription', () => {
  it('has two plan cards with features and price; Pro is marked RECOMMENDED; signed out it offers to sign in', async () => {
    const { page } = await visit('/subscription');
    for (const { name, price, features } of PLANS) {
      const card = page.getByRole('region', { name, exact: true });
      await card.getByRole('button', { name: `Choose ${name}` }).waitFor();
      const shown = await card.getByRole('listitem').allTextContents();
      // Support has an address only if the operator sets one.
      const sold = features.map(({ text }) => text).filter((text) => text !== 'Priority support');
      expect(shown.map((text) => text.replace(/\s*Coming soon$/, '')).toSorted()).toEqual(
        sold.toSorted(),
      );
      const soon = shown.filter((text) => text.endsWith('Coming soon'));
      expect(soon).toHaveLength(name === 'Pro' ? 2 : 1);
      expect(await card.textContent()).toContain(`$${price}/month`);
    }
    const recommended = page.getByRole('region').filter({ hasText: 'RECOMMENDED' });
    expect(await recommended.getByRole('heading').allTextContents()).toEqual(['Pro']);
    await shot(page, 'subscription');
    await link(page, 'Sign In to Subscribe').click();
    await expect.poll(() => pathOf(page)).toBe('/login');
  });

  it('shows a subscriber "Current Plan: Pro", Active, a disabled button, "Back to Chat" and "Sign Out"', async () => {
    const page = await pro.open('/subscription?change=true');
    await page.getByText('Current Plan: Pro', { exact: true }).waitFor();
    await page.getByText('Active', { exact: true }).waitFor();
    expect(await button(page, 'Current Plan').isDisabled()).toBe(true);
    await shot(page, 'subscription-current');
    await button(page, 'Sign Out').waitFor();
    await link(page, 'Back to Chat').click();
    await expect.poll(() => pathOf(page)).toBe('/');
    await page.close();
  });

  it('shows a guest "Current Plan: Demo" and the way back to the chat', async () => {
    const { page } = await visit('/login');
    await button(page, 'Continue as Guest (Demo Mode)').click();
    await expect.poll(() => pathOf(page)).toBe('/');
    await page.goto(`${url}/subscription`);
    await page.getByText('Current Plan: Demo', { exact: true }).waitFor();
    await link(page, 'Back to Chat').waitFor();
  });

  it('a subscriber who signs in goes to /, without the prices or a notice', async () => {
    const { email } = await get<{ email: string }>(proPage, '/auth/user');
    const { page } = await visit('/login');
    await page.evaluate(() => {
      new MutationObserver(() => {
        if (/Choose Your Plan|Already Subscribed/.test(document.body.textContent))
          document.title = 'flashed';
      }).observe(document.body, { childList: true, subtree: true });
    });
    await fillSignIn(page, email);
    await expect.poll(() => pathOf(page)).toBe('/');
    expect(await page.title()).not.toBe('flashed');
  });
});

describe('/test', () => {
  it('has the buttons Test Auth Status, Login as Guest and Clear Token', async () => {
    const { page } = await visit('/test');
    const result = page.locator('pre');
    await button(page, 'Test Auth Status').click();
    await expect.poll(() => result.textContent()).toContain('"user": null');
    await button(page, 'Login as Guest').click();
    await expect.poll(() => pathOf(page)).toBe('/');
    await page.goto(`${url}/test`);
    await button(page, 'Test Auth Status').click();
    await expect.poll(() => result.textContent()).toContain('"subscriptionStatus": "guest"');
    await button(page, 'Clear Token').click();
    await expect.poll(() => result.textContent()).toContain('Token cleared.');
  });
});

it.each([
  ['wide', { width: 1440, height: 900 }],
  ['narrow', { width: 390, height: 844 }],
])(
  'no %s screen has serious accessibility errors in either theme or a cut-off side',
  async (_size, viewport) => {
    const { visitor, page } = await visit('/', { viewport, reducedMotion: 'reduce' });
    const check = async (path: string, ready: string) => {
      await page.goto(`${url}${path}`);
      await page.getByText(ready, { exact: true }).first().waitFor();
      expect({ path, found: await barriersInBothThemes(page) }).toEqual({ path, found: [] });
      await expectWhole(page, path);
    };
    await check('/', 'Annual billing saves 20%');
    await check('/login', 'Sign In');
    await check('/subscription', 'Choose Pro');
    await check('/reset-password', 'Send Link');
    await check('/verify-email', 'Your email address');
    await check('/features', 'What STOLAS does');
    await check('/test', 'Clear Token');
    await check('/nowhere', '404 Page Not Found');
    await visitor.context.addInitScript(
      (token) => localStorage.setItem('authToken', token ?? ''),
      await proPage.evaluate(() => localStorage.getItem('authToken')),
    );
    await check('/settings', 'Delete Account');
    await check('/subscription?change=true', 'Current Plan: Pro');
  },
);
