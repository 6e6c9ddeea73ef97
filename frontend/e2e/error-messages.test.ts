import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { newEmail } from '../../backend/test/new-user.ts';
import { sharedProduct } from './open-product.ts';
import { fillRegistration, fillSignIn, toRegistration, type Visitor } from './product.ts';
import { button, pathOf } from './steps.ts';

// The messages of docs/product.md, 'Error messages', each in the browser and by its cause. A cause outside this server is
// an answer that the browser gets in place of the server's.
const STILL_PROCESSING =
  'The AI is still processing your request. Complex questions can take 2-3 minutes. Please wait - your response will appear when ready.';
const TAKING_LONGER =
  'The request is taking longer than expected. The AI may still be processing. Please wait a moment.';

const { url, arrive, register, subscribe } = await sharedProduct({
  GOOGLE_CLIENT_ID: 'at-google',
  GOOGLE_CLIENT_SECRET: 'secret',
  STRIPE_UI: 'embedded',
  RATE_LIMITS: 'false',
});
let subscriber: Awaited<ReturnType<typeof subscribe>>;

beforeAll(async () => {
  subscriber = await subscribe('Starter');
});

/** Makes every call of `path` on the page get this answer. */
const answer = (page: Page, path: string, status: number, body: unknown = '') =>
  page.route(`**${path}`, (route) =>
    route.fulfill({ status, body: typeof body === 'string' ? body : JSON.stringify(body) }),
  );

/** Waits for a notification. Exact, because its whole text is also announced by a hidden element. */
async function seen(page: Page, ...texts: string[]): Promise<void> {
  for (const text of texts) await page.getByText(text, { exact: true }).first().waitFor();
}

const at = async (path: string): Promise<Page> =>
  (await arrive({ reducedMotion: 'reduce' })).open(path);

const atLogin = () => at('/login');

async function atRegistration(): Promise<Page> {
  const page = await atLogin();
  await toRegistration(page);
  return page;
}

/** Google's sign-in widget, whose user agrees at once. */
const AGREEING_WIDGET = `window.google = { accounts: { id: {
  initialize({ callback }) { this.callback = callback; },
  prompt() { this.callback({ credential: 'x'.repeat(40) }); },
} } };`;

describe('signing in', () => {
  it("'Login Failed' with the server's message", async () => {
    const page = await atLogin();
    await fillSignIn(page, newEmail());
    await seen(page, 'Login Failed', 'Wrong email address or password.');
  });

  it("'Login Failed', 'Authentication failed' when the server gives no message", async () => {
    const page = await atLogin();
    await answer(page, '/api/auth/login', 500);
    await fillSignIn(page, 'ada@example.com');
    await seen(page, 'Login Failed', 'Authentication failed');
  });

  it("'Please try again or use another login method.' when the server cannot be reached", async () => {
    const page = await atLogin();
    await page.route('**/api/auth/login', (route) => route.abort());
    await fillSignIn(page, 'ada@example.com');
    await seen(page, 'Login Failed', 'Please try again or use another login method.');
  });

  it("'No token received from server'", async () => {
    const page = await atLogin();
    await answer(page, '/api/auth/login', 200, { message: 'Welcome' });
    await fillSignIn(page, 'ada@example.com');
    await seen(page, 'Login Failed', 'No token received from server');
  });

  it("'Registration Failed' with the server's message", async () => {
    const { page: registered } = await register();
    const email = (await registered.getByText('@example.com').first().textContent()) ?? '';
    const page = await atRegistration();
    await fillRegistration(page, email.trim());
    await seen(
      page,
      'Registration Failed',
      'An account with this email already exists. Sign in or reset your password.',
    );
  });

  it("'Failed to Create Guest Session' / 'Please try again later.'", async () => {
    const page = await atLogin();
    await answer(page, '/api/auth/guest', 503);
    await button(page, 'Continue as Guest (Demo Mode)').click();
    await seen(page, 'Failed to Create Guest Session', 'Please try again later.');
  });

  it("'Google Login Failed', 'Google authentication failed'", async () => {
    const page = await atLogin();
    await page.route('https://accounts.google.com/**', (route) =>
      route.fulfill({ contentType: 'text/javascript', body: AGREEING_WIDGET }),
    );
    await answer(page, '/api/auth/google', 500);
    await page.getByRole('button', { name: /Google/ }).click();
    await seen(page, 'Google Login Failed', 'Google authentication failed');
  });

  it("'Google Sign-In Not Available' / 'Please refresh the page and try again.'", async () => {
    const page = await atLogin();
    await answer(page, '/api/auth/google/start', 404);
    await page.getByRole('button', { name: /Google/ }).click();
    await seen(page, 'Google Sign-In Not Available', 'Please refresh the page and try again.');
  });

  it("GitHub and Discord show 'Coming Soon'", async () => {
    const page = await atLogin();
    await page.getByText('Other ways to sign in').click();
    for (const name of [/GitHub/, /Discord/]) {
      await page.getByRole('button', { name }).click();
      await seen(page, 'Coming Soon');
    }
  });
});

describe('choosing a plan', () => {
  let page: Page;
  beforeAll(async () => {
    ({ page } = await register());
  });
  const CHECKOUT = '/api/stripe/checkout';
  const choose = () => button(page, 'Choose Pro').click();
  /** Chooses a plan; the call of the checkout gets this answer. */
  async function chooseWith(status: number, body?: unknown): Promise<void> {
    await page.unroute(`**${CHECKOUT}`);
    await answer(page, CHECKOUT, status, body);
    await choose();
  }

  it("'Error' with the error of the checkout", async () => {
    await chooseWith(400, { message: 'This plan is not sold here.', code: 'unknown_price' });
    await seen(page, 'Error', 'This plan is not sold here.');
  });

  it("'Failed to create subscription. Please try again.'", async () => {
    await chooseWith(500);
    await seen(page, 'Error', 'Failed to create subscription. Please try again.');
  });

  it('524: the AI is still processing', async () => {
    await chooseWith(524, '<html>A timeout occurred</html>');
    await seen(page, 'Error', STILL_PROCESSING);
  });

  it.each([504, 408])('%i: the request is taking longer than expected', async (status) => {
    await chooseWith(status, '<html></html>');
    await seen(page, 'Error', TAKING_LONGER);
  });

  it('a call without an answer for 300 s times out', async () => {
    await page.clock.install();
    await page.unroute(`**${CHECKOUT}`);
    await page.route(`**${CHECKOUT}`, () => new Promise(() => {}));
    const called = page.waitForRequest(`**${CHECKOUT}`);
    await choose();
    await called;
    await page.clock.fastForward(300_000);
    await seen(
      page,
      'Error',
      'Request timed out. The AI is taking longer than expected. Please try again.',
    );
  });

  it("'Payment Error' / 'An unexpected error occurred. Please try again.'", async () => {
    const { page: other } = await register();
    await answer(other, CHECKOUT, 200, { clientSecret: 'cs_x', publishableKey: 'pk_test_x' });
    await other.route('https://js.stripe.com/**', (route) => route.abort());
    await button(other, 'Choose Pro').click();
    await seen(other, 'Payment Error', 'An unexpected error occurred. Please try again.');
  });
});

describe('returning from the payment', () => {
  const VERIFY = '/api/subscription/verify';

  let visitor: Visitor;
  beforeAll(async () => {
    ({ visitor } = await register());
  });

  async function returnTo(
    search: string,
    before: (page: Page) => Promise<unknown> = async () => undefined,
  ): Promise<Page> {
    const page = await visitor.context.newPage();
    await page.clock.install();
    await before(page);
    await page.goto(`${url}/subscription?${search}`);
    return page;
  }

  /** Waits for a notification while the verification is repeated. */
  async function seenInTime(page: Page, ...texts: string[]): Promise<void> {
    const first = page.getByText(texts[0] ?? '', { exact: true }).first();
    await expect
      .poll(async () => {
        if (await first.isVisible()) return true;
        await page.clock.fastForward(500);
        return false;
      })
      .toBe(true);
    await seen(page, ...texts);
    await page.close();
  }

  it("'Subscription Failed' with the server's message", async () => {
    const message = 'The bank has refused the payment.';
    const page = await returnTo('success=true&session_id=cs_1', (it) =>
      answer(it, VERIFY, 200, { success: false, message }),
    );
    await seenInTime(page, 'Subscription Failed', message);
  });

  it("'Upgrade Failed', 'Payment was processed but subscription activation failed. Please contact support.'", async () => {
    const page = await returnTo('success=true&session_id=cs_1&upgrade=true', (it) =>
      answer(it, VERIFY, 200, { success: false, message: '' }),
    );
    await seenInTime(
      page,
      'Upgrade Failed',
      'Payment was processed but subscription activation failed. Please contact support.',
    );
  });

  it("'Unable to verify subscription. Please refresh the page or contact support.'", async () => {
    const page = await returnTo('success=true&session_id=cs_1', (it) => answer(it, VERIFY, 400));
    await seen(page, 'Unable to verify subscription. Please refresh the page or contact support.');
  });

  it("'Payment completed but subscription not activated. Please try again or contact support.'", async () => {
    const page = await returnTo('success=true');
    await seenInTime(
      page,
      'Payment completed but subscription not activated. Please try again or contact support.',
    );
  });

  it("'Upgrade Canceled', then /", async () => {
    const { page } = subscriber;
    await page.goto(`${url}/subscription?upgrade_cancelled=true`);
    await seen(page, 'Upgrade Canceled');
    await page.waitForURL(`${url}/`);
  });
});

describe('upgrading in the product', () => {
  it("'Upgrade Failed' with the server's message, else 'Failed to upgrade. Please try again or contact support.'", async () => {
    const { page } = subscriber;
    const upgrade = async () => {
      await button(page, 'Upgrade to Pro').click();
      await button(page, 'Upgrade Now').click();
    };
    await answer(page, '/api/stripe/upgrade', 402, {
      message: 'Your card was declined.',
      code: 'payment_failed',
    });
    await upgrade();
    await seen(page, 'Upgrade Failed', 'Your card was declined.');
    await page.unroute('**/api/stripe/upgrade');
    await answer(page, '/api/stripe/upgrade', 500);
    await upgrade();
    await seen(page, 'Failed to upgrade. Please try again or contact support.');
    expect(pathOf(page)).toBe('/');
  });
});
