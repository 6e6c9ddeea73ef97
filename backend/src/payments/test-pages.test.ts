import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { html } from '../../embedded/stripe/pages/page.ts';
import { PRICES, START } from '../../embedded/stripe/rig.fixture.ts';
import { TEST_KEY } from '../../test/stripe.ts';
import { sessionActor } from '../access/index.ts';
import { createApp } from '../http/index.ts';
import { serve } from '../http/serve.fixture.ts';
import { testPages } from './index.ts';
import { type StripeServer, startStripe } from './stripe-server.fixture.ts';

let stripe: StripeServer;
let test: Awaited<ReturnType<typeof startProvider>>;
let url: string;
const cleanups: (() => void)[] = [];

/** The embedded Stripe with its customers, at a time set by the test. */
async function startProvider() {
  const clock = { now: START };
  stripe = await startStripe({ now: () => clock.now, prices: PRICES });
  cleanups.push(stripe.close);
  const gateway = stripe.gateway();
  const checkout = async ({ priceId = 'price_starter' } = {}) => {
    const ownerId: string = randomUUID();
    const { id } = await gateway.createCheckout({
      ownerId,
      customerId: null,
      email: 'ada@example.org',
      priceId,
      ui: 'hosted',
      successUrl: 'http://localhost:3000/?success=true&session_id={CHECKOUT_SESSION_ID}',
      cancelUrl: 'http://localhost:3000/subscription?canceled=true',
      idempotencyKey: randomUUID(),
    });
    return { id, ownerId };
  };
  const subscribe = async () => {
    const { id: checkoutId, ownerId } = await checkout();
    await stripe.pay(checkoutId);
    const found = await gateway.findCheckout(checkoutId);
    return { id: found?.subscriptionId ?? '', customerId: found?.customerId ?? '', ownerId };
  };
  return { gateway, simulator: stripe.simulator, clock, checkout, subscribe };
}

const pagesWith = (STRIPE_SECRET_KEY: string) =>
  testPages({
    config: { STRIPE_SECRET_KEY, STRIPE_API_URL: stripe.url },
    rateLimit: () => (_req, _res, next) => next(),
  });

async function servePages(pages: ReturnType<typeof testPages>): Promise<string> {
  const { url: served, stop } = await serve(
    createApp({
      config: { TRUST_PROXY: 0 },
      log: pino({ level: 'silent' }),
      authenticate: async (token) =>
        sessionActor({ userId: token, sessionId: 'session', isGuest: false }),
      routers: [],
      pages,
    }),
  );
  cleanups.push(stop);
  return served;
}

beforeAll(async () => {
  test = await startProvider();
  url = await servePages(pagesWith(TEST_KEY));
});
afterAll(() => {
  for (const cleanup of cleanups) cleanup();
});

interface Asked {
  user?: string;
  site?: string;
}

async function go(
  method: 'GET' | 'POST',
  path: string,
  { user, site = 'same-origin' }: Asked = {},
) {
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(method === 'POST' && {
        'sec-fetch-site': site,
        'content-type': 'application/x-www-form-urlencoded',
      }),
      ...(user !== undefined && { cookie: `stolas_session=${user}` }),
    },
  });
  return {
    status: response.status,
    to: response.headers.get('location'),
    headers: response.headers,
    text: await response.text(),
  };
}
const get = (path: string, asked?: Asked) => go('GET', path, asked);
const post = (path: string, asked?: Asked) => go('POST', path, asked);
const stateOf = async (name: string) => {
  const state = await test.simulator.find(name);
  if (!state) throw new Error(`${name} is not stored.`);
  return state;
};

describe('the checkout page', () => {
  it('names the product, shows that no money moves, and has three buttons', async () => {
    const { id } = await test.checkout({ priceId: 'price_pro_year' });
    const { status, text } = await get(`/test-checkout/${id}`);
    expect(status).toBe(200);
    expect(text).toContain('<strong>Test payment:</strong> no money moves.');
    expect(text).toContain('Subscribe to Pro');
    expect(text).toContain('$1,718.40 <small>per year</small>');
    const buttons = [...text.matchAll(/<button type="submit" class="\w+">(.*?)<\/button>/g)];
    expect(buttons.map(([, label]) => label)).toEqual(['Pay', 'Decline', 'Cancel']);
  });

  it('has no script, and its styles carry the nonce of the policy', async () => {
    const { id } = await test.checkout();
    const { text, headers } = await get(`/test-checkout/${id}`);
    const policy = headers.get('content-security-policy') ?? '';
    const nonce = /<style nonce="([^"]+)">/.exec(text)?.[1];
    expect(policy).toContain(`'nonce-${nonce}'`);
    expect(text).not.toMatch(/<script|style="|onclick/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('same-origin');
  });

  it('Pay completes it and returns to the product with its id; a repetition changes nothing', async () => {
    const { id } = await test.checkout();
    const success = `http://localhost:3000/?success=true&session_id=${id}`;
    expect(await post(`/test-checkout/${id}/pay`)).toMatchObject({ status: 303, to: success });
    const paid = await stateOf(id);
    expect(await post(`/test-checkout/${id}/pay`)).toMatchObject({ status: 303, to: success });
    expect(await stateOf(id)).toEqual(paid);
    expect(paid.subscriptions).toHaveLength(1);
    expect((await get(`/test-checkout/${id}`)).text).toContain('This payment is complete');
  });

  it('Decline shows that and leaves it open, so that it can be paid', async () => {
    const { id } = await test.checkout();
    const page = `/test-checkout/${id}`;
    expect(await post(`${page}/decline`)).toMatchObject({ status: 303, to: page });
    expect((await get(page)).text).toContain('role="alert">Your card was declined.</div>');
    expect((await stateOf(id)).checkouts[0]?.status).toBe('open');
    await post(`${page}/pay`);
    expect((await stateOf(id)).checkouts[0]).toMatchObject({ status: 'complete', declined: false });
    await post(`${page}/decline`);
    expect((await stateOf(id)).checkouts[0]).toMatchObject({ status: 'complete', declined: false });
  });

  it('Cancel returns to the product and changes nothing', async () => {
    const { id } = await test.checkout();
    const before = await stateOf(id);
    const to = 'http://localhost:3000/subscription?canceled=true';
    expect(await post(`/test-checkout/${id}/cancel`)).toMatchObject({ status: 303, to });
    expect(await stateOf(id)).toEqual(before);
  });

  it('cannot be paid once it has expired', async () => {
    const { id } = await test.checkout();
    await test.gateway.expireCheckout(id);
    const page = `/test-checkout/${id}`;
    expect(await post(`${page}/pay`)).toMatchObject({ status: 303, to: page });
    expect((await get(page)).text).toContain('This checkout has expired');
    expect((await stateOf(id)).subscriptions).toEqual([]);
  });

  it('refuses a form of another site', async () => {
    const { id } = await test.checkout();
    const refused = await post(`/test-checkout/${id}/pay`, { user: 'ada', site: 'cross-site' });
    expect(refused.status).toBe(403);
    expect((await stateOf(id)).subscriptions).toEqual([]);
  });

  it.each([
    '/test-checkout/cs_test_unknown',
    '/test-checkout/%24gt',
    '/test-portal/x',
    '/test-invoice/x',
  ])('there is nothing at %s', async (path) => {
    expect(await get(path)).toMatchObject({ status: 404 });
    expect(await post(`${path}/pay`)).toMatchObject({ status: 404 });
  });

  it('an id of something else is no checkout', async () => {
    const { id } = await test.subscribe();
    expect((await get(`/test-checkout/${id}`)).status).toBe(404);
    expect((await post(`/test-checkout/${id}/pay`)).status).toBe(404);
  });
});

describe('the portal', () => {
  const open = async (customerId: string) => {
    const portal = { customerId, returnUrl: 'http://localhost:3000/settings' };
    return new URL((await test.gateway.createPortal(portal))?.url ?? '').pathname;
  };

  it('changes the card, cancels, withdraws that, and leads back', async () => {
    const { customerId, id } = await test.subscribe();
    const portal = await open(customerId);
    const page = (await get(portal)).text;
    expect(page).toContain('href="http://localhost:3000/settings"');
    expect(page).toContain('Renews');
    await post(`${portal}/card-declined`);
    expect((await stateOf(id)).card).toBe('declined');
    await post(`${portal}/card-works`);
    expect((await stateOf(id)).card).toBe('works');
    await post(`${portal}/cancel`);
    expect((await test.gateway.findSubscription(id))?.cancelsAt).not.toBeNull();
    expect((await get(portal)).text).toContain('Keep subscription');
    await post(`${portal}/resume`);
    expect((await test.gateway.findSubscription(id))?.cancelsAt).toBeNull();
    expect((await post(`${portal}/other`)).status).toBe(404);
  });

  it('closes after an hour', async () => {
    const { customerId, id } = await test.subscribe();
    const portal = await open(customerId);
    test.clock.now = new Date(START.getTime() + 3_600_000);
    expect((await get(portal)).status).toBe(404);
    expect((await post(`${portal}/cancel`)).status).toBe(404);
    test.clock.now = START;
    expect((await test.gateway.findSubscription(id))?.cancelsAt).toBeNull();
  });

  it('shows invoices', async () => {
    const { customerId } = await test.subscribe();
    const [invoice] = await test.gateway.listInvoices(customerId, 1);
    const { pathname } = new URL(invoice?.url ?? '');
    expect((await get(await open(customerId))).text).toContain(`href="${pathname}"`);
    const { status, text } = await get(pathname);
    expect(status).toBe(200);
    expect(text).toContain(`Invoice ${invoice?.number}`);
    expect(text).toContain('$29.00');
  });
});

describe("the operator's page", () => {
  const setUp = async () => {
    const { id, ownerId, customerId } = await test.subscribe();
    const invoiceId = (await stateOf(id)).invoices[0]?.id ?? '';
    const act = (what: string, name: string, user = ownerId) =>
      post(`/test-payments/${what}/${name}`, { user });
    const subscription = async () => test.gateway.findSubscription(id);
    return { id, ownerId, customerId, invoiceId, act, subscription };
  };

  it('asks for a session', async () => {
    const { id } = await setUp();
    expect(await get('/test-payments')).toMatchObject({ status: 303, to: '/login' });
    expect(await post(`/test-payments/${id}/end`)).toMatchObject({ status: 303, to: '/login' });
    expect((await test.gateway.findSubscription(id))?.status).toBe('active');
  });

  it("shows the user's own subscriptions, and changes no others", async () => {
    const { id, ownerId, act } = await setUp();
    expect((await get('/test-payments', { user: ownerId })).text).toContain(id);
    expect((await get('/test-payments', { user: 'mallory' })).text).not.toContain(id);
    const before = await stateOf(id);
    expect((await act(id, 'end', 'mallory')).status).toBe(404);
    expect((await act('sub_unknown', 'end')).status).toBe(404);
    expect((await act(id, 'unknown')).status).toBe(404);
    expect(await stateOf(id)).toEqual(before);
  });

  it('renews, fails a renewal, has it paid, and ends the subscription', async () => {
    const { id, act, subscription } = await setUp();
    expect(await act(id, 'renew')).toMatchObject({ status: 303, to: '/test-payments' });
    expect((await subscription())?.periodStartsAt).toEqual(new Date('2026-02-28T10:00:00Z'));
    await act(id, 'fail-renewal');
    expect((await subscription())?.status).toBe('past_due');
    const open = (await subscription())?.latestInvoice?.id ?? '';
    await act(open, 'pay');
    expect((await subscription())?.status).toBe('active');
    await act(id, 'end');
    expect((await subscription())?.status).toBe('ended');
  });

  it('refunds in part and whole, and plays a dispute', async () => {
    const { invoiceId, act, subscription } = await setUp();
    const status = async () => (await subscription())?.latestInvoice?.status;
    await act(invoiceId, 'refund-half');
    expect(await status()).toBe('partially_refunded');
    await act(invoiceId, 'dispute');
    expect(await status()).toBe('disputed');
    await act(invoiceId, 'win');
    expect(await status()).toBe('partially_refunded');
    await act(invoiceId, 'refund');
    expect(await status()).toBe('refunded');
  });

  it('a dispute can be lost', async () => {
    const { invoiceId, act, subscription } = await setUp();
    await act(invoiceId, 'dispute');
    await act(invoiceId, 'lose');
    expect((await subscription())?.latestInvoice?.status).toBe('disputed');
  });

  it('sends all events again', async () => {
    const { id, act } = await setUp();
    await test.simulator.update(id, ({ state }) => {
      for (const event of state.events) event.nextTryAt = null;
    });
    await act(id, 'send-again');
    const { events } = await stateOf(id);
    expect(events.map(({ nextTryAt }) => nextTryAt)).toEqual([START, START, START]);
  });

  it('shows why something cannot be done', async () => {
    const { invoiceId, act } = await setUp();
    await act(invoiceId, 'refund');
    const { status, text } = await act(invoiceId, 'refund');
    expect(status).toBe(409);
    expect(text).toMatch(/role="alert">.*already been refunded/);
  });
});

describe('the way to the embedded Stripe', () => {
  it.each([
    '/test-checkout/../v1/subscriptions/sub_1',
    '/test-checkout/%2e%2e/v1/subscriptions',
    '/test-portal//v1/customers/cus_1',
    '/test-checkout/a/b/c',
    '/test-checkout/a?x=/v1/',
  ])('is that of its pages alone: %s', async (path) => {
    stripe.seen();
    // fetch() would resolve the dots.
    const { port } = new URL(url);
    const status = await new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, method: 'POST', headers: { host: 'localhost' } })
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(404);
    for (const seen of stripe.seen()) expect(seen.path).toMatch(/^\/test-checkout\/(a|nowhere)$/);
  });

  it('is closed when it does not answer: 503', async () => {
    const { id } = await test.checkout();
    stripe.fail({ on: 'GET' });
    expect((await get(`/test-checkout/${id}`)).status).toBe(503);
  });

  it('names the user of the session, whatever the browser sends', async () => {
    const { id, ownerId } = await test.subscribe();
    const answer = await fetch(`${url}/test-payments`, {
      headers: { cookie: 'stolas_session=mallory', 'stolas-user': ownerId },
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toContain(id);
  });
});

describe('a call that may come from another machine', () => {
  const statusOf = (path: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const { port } = new URL(url);
      const all = { 'sec-fetch-site': 'same-origin', ...headers };
      request({ host: '127.0.0.1', port, path, method: 'POST', headers: all })
        .on('response', (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
  const paths = async () => {
    const { id, customerId, ownerId } = await test.subscribe();
    const { id: open } = await test.checkout();
    const paid = { cookie: `stolas_session=${ownerId}` };
    return [
      [`/test-checkout/${open}/pay`, {}],
      [`/test-portal/${customerId}/cancel`, {}],
      [`/test-payments/${id}/renew`, paid],
    ] as const;
  };

  it.each([
    { host: 'chat.example.org' },
    { host: '192.168.0.9:3000' },
    { host: 'localhost.example.org' },
    { host: '127.0.0.1.example.org' },
    { host: 'localhost:3000', 'x-forwarded-for': '203.0.113.7' },
    { host: 'localhost:3000', 'x-forwarded-for': '' },
    { host: 'localhost:3000', forwarded: 'for=203.0.113.7' },
    { host: 'localhost:3000', 'x-forwarded-host': 'chat.example.org' },
    { host: 'localhost:3000', 'x-real-ip': '203.0.113.7' },
    { host: 'localhost:3000', via: '1.1 proxy' },
    { host: 'localhost:3000', 'cf-connecting-ip': '203.0.113.7' },
  ])('changes nothing: %o', async (headers) => {
    for (const [path, session] of await paths())
      expect([path, await statusOf(path, { ...session, ...headers })]).toEqual([path, 404]);
  });

  it.each(['localhost:3000', '127.0.0.1', '[::1]:3000'])(
    'is one of this machine as %s',
    async (host) => {
      const { id } = await test.checkout();
      expect(await statusOf(`/test-checkout/${id}/pay`, { host })).toBe(303);
    },
  );
});

it('escapes the shown texts', () => {
  expect(html`<a href="${`"><script>'&`}">${[html`<b>${1}</b>`]}${null}</a>`.markup).toBe(
    '<a href="&quot;&gt;&lt;script&gt;&#39;&amp;"><b>1</b></a>',
  );
});

it('with a key of Stripe, as in production, none of the pages exists', async () => {
  const production = await servePages(pagesWith('sk_live_1'));
  const { id } = await test.checkout();
  for (const path of [
    `/test-checkout/${id}`,
    '/test-payments',
    '/test-portal/x',
    '/test-invoice/x',
  ]) {
    expect((await fetch(`${production}${path}`)).status).toBe(404);
    expect((await fetch(`${production}${path}`, { method: 'POST' })).status).toBe(404);
  }
  expect((await stateOf(id)).subscriptions).toEqual([]);
});
