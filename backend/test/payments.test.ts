import { beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../src/contract/auth.ts';
import type {
  BillingOverview,
  CheckoutResult,
  Invoice,
  UpgradeResult,
  VerifyResult,
} from '../src/contract/billing.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import {
  DEFAULT_PLAN_FEATURES,
  type FeatureState,
  featureState,
  PLANS,
  type Plan,
  type PlanFeature,
} from '../src/contract/plans.ts';
import { type Connection, connectMongo } from '../src/db/mongo.ts';
import { startProcess, type TestProcess } from './processes.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';
import { visitor } from './visitor.ts';

const OPERATOR_TOKEN = 'the password of operators';
let stack: Stack;
let us: ReturnType<typeof visitor>;
let database: Connection;

beforeAll(async () => {
  stack = await startStack({ OPERATOR_TOKEN });
  us = visitor(stack.web.url);
  database = await connectMongo(stack.env.MONGODB_URI ?? '');
  return () => database.close();
});

const textsOf = (features: readonly PlanFeature[], state: FeatureState) =>
  features
    .filter((feature) => featureState(feature, DEFAULT_PLAN_FEATURES) === state)
    .map(({ text }) => text);
const member = async () => (await us.member()).api;
const userOf = async (api: ApiClient) => (await api.get<User>('/auth/user')).body;
const checkout = async (api: ApiClient, priceId = 'price_starter_month') => {
  const { body } = await api.post<CheckoutResult>('/stripe/checkout', { priceId });
  return 'url' in body ? (body.url.split('/').at(-1) ?? '') : '';
};
/** Presses a button of the checkout page. */
const press = (id: string, button: 'pay' | 'decline' | 'cancel') =>
  fetch(`${stack.web.url}/test-checkout/${id}/${button}`, { method: 'POST', redirect: 'manual' });
const verify = <T = VerifyResult>(api: ApiClient, sessionId: string) =>
  api.post<T>('/subscription/verify', { sessionId });
const subscribe = async (api: ApiClient, priceId?: string) => {
  const id = await checkout(api, priceId);
  await press(id, 'pay');
  await verify(api, id);
  return id;
};

describe('GET /api/plans', () => {
  it('lists the plans with their configured prices, without a session', async () => {
    const { status, body } = await us.call<Plan[]>('GET', '/plans');
    expect(status).toBe(200);
    expect(body).toEqual(
      PLANS.map(({ limits: _limits, features, ...plan }) => ({
        ...plan,
        // No support contact is configured here.
        features: textsOf(features, 'available').filter((text) => text !== 'Priority support'),
        soon: textsOf(features, 'soon'),
        stripePriceId: `price_${plan.id}_month`,
        stripeYearlyPriceId: `price_${plan.id}_year`,
      })),
    );
  });
});

describe('paying at the embedded Stripe', () => {
  it('leads from checkout to the plan, by the return and by the webhook', async () => {
    const [returns, stays] = [await member(), await member()];
    const id = await checkout(returns);
    const paid = await press(id, 'pay');
    expect(paid.headers.get('location')).toContain(`/subscription?success=true&session_id=${id}`);
    expect((await verify(returns, id)).body).toMatchObject({ success: true, plan: 'starter' });
    expect(await userOf(returns)).toMatchObject({
      subscriptionStatus: 'active',
      subscriptionPlan: 'starter',
    });
    await press(await checkout(stays, 'price_pro_year'), 'pay');
    await expect.poll(async () => (await userOf(stays)).subscriptionPlan).toBe('pro');
    expect((await stays.get<BillingOverview>('/billing')).body).toMatchObject({
      plan: 'pro',
      interval: 'year',
      hasCustomer: true,
      isTest: true,
    });
  });

  it('lets only a subscriber chat', async () => {
    const api = await member();
    const id = await api.conversation();
    expect((await api.send(id, 'Hello')).status).toBe(402);
    await subscribe(api);
    expect((await api.send(id, 'Hello')).status).toBe(202);
  });

  it('leaves conversations readable, searchable and exportable when the plan ends; only sending needs one', async () => {
    const api = await member();
    // A plan that an operator granted, which no event of the provider changes.
    const { id: ownerId } = await userOf(api);
    const owner = { ownerId: database.base.Types.ObjectId.createFromHexString(ownerId) };
    const given = { plan: 'starter', status: 'active', startedAt: new Date() };
    await database.collection('subscriptions').insertOne({ ...owner, ...given });
    const id = await api.conversation();
    expect((await api.send(id, 'The owl of Minerva')).status).toBe(202);
    // This test has no provider. While the reply runs, a send would be refused for that reason instead.
    await expect.poll(async () => (await api.reply(id)).status).toBe('failed');
    const ended = { $set: { cancelsAt: new Date(0) } };
    await database.collection('subscriptions').updateOne(owner, ended);
    expect(await userOf(api)).toMatchObject({ subscriptionStatus: null, subscriptionPlan: null });
    for (const path of [
      '/conversations',
      `/conversations/${id}/messages`,
      '/search?q=Minerva',
      `/conversations/${id}/export?format=json`,
    ])
      expect([path, (await api.call('GET', path)).status]).toEqual([path, 200]);
    expect((await api.send(id, 'Hello')).status).toBe(402);
  });

  it('that was declined or cancelled gives no plan', async () => {
    const api = await member();
    const id = await checkout(api);
    await press(id, 'decline');
    expect((await verify(api, id)).body).toMatchObject({ success: false, plan: null });
    const cancelled = await press(id, 'cancel');
    expect(cancelled.headers.get('location')).toContain('/subscription?canceled=true');
    expect((await userOf(api)).subscriptionPlan).toBeNull();
  });

  it('upgrades, schedules, cancels and resumes, each with the fresh overview', async () => {
    const api = await member();
    await subscribe(api);
    const upgraded = await api.post<UpgradeResult>('/stripe/upgrade', {});
    expect([upgraded.status, upgraded.body.plan, upgraded.body.checkoutUrl]).toEqual([
      200,
      'pro',
      undefined,
    ]);
    const change = (body: object) => api.post<BillingOverview>('/billing/change', body);
    const down = await change({ plan: 'starter', interval: 'month' });
    expect(down.body).toMatchObject({ plan: 'pro', pendingChange: { plan: 'starter' } });
    expect((await change({ plan: 'pro', interval: 'month' })).body.pendingChange).toBeNull();
    const cancelled = await api.post<BillingOverview>('/billing/cancel');
    expect(cancelled.body.cancelsAt).toBe(cancelled.body.periodEndsAt);
    const resumed = await api.post<BillingOverview>('/billing/resume');
    expect(resumed.body.cancelsAt).toBeNull();
    const { body: invoices } = await api.get<Invoice[]>('/billing/invoices');
    expect(invoices.map(({ amount }) => amount)).toEqual([expect.any(Number), 2_900]);
    const portal = await api.post<{ url: string }>('/billing/portal');
    expect(portal.body.url).toContain('/test-portal/');
  });
});

describe('what a client cannot decide', () => {
  it('plan, amount, customer and owner in a body are ignored', async () => {
    const [api, victim] = [await member(), await member()];
    const { id: victimId } = await userOf(victim);
    const foreign = {
      plan: 'pro',
      amount: -1,
      price: 0,
      customerId: 'cus_of_others',
      ownerId: victimId,
      userId: victimId,
      subscriptionPlan: 'pro',
      success: true,
    };
    const { body } = await api.post<CheckoutResult>('/stripe/checkout', {
      priceId: 'price_starter_month',
      ...foreign,
    });
    const id = 'url' in body ? (body.url.split('/').at(-1) ?? '') : '';
    await press(id, 'pay');
    await api.post('/subscription/verify', { sessionId: id, ...foreign });
    expect([(await userOf(api)).subscriptionPlan, (await userOf(victim)).subscriptionPlan]).toEqual(
      ['starter', null],
    );
    const upgrade = await api.post<UpgradeResult>('/stripe/upgrade', {
      ...foreign,
      plan: 'free',
    });
    expect(upgrade.body.plan).toBe('pro');
    await api.patch('/auth/user', { firstName: 'Ada', ...foreign });
    expect((await userOf(victim)).subscriptionPlan).toBeNull();
  });

  it.each([
    ['/stripe/checkout', { priceId: 'price_free' }, 400, 'unknown_price'],
    ['/stripe/checkout', { priceId: -1 }, 422, 'invalid_field'],
    ['/stripe/checkout', { priceId: { $ne: null } }, 422, 'invalid_field'],
    ['/stripe/checkout', {}, 422, 'invalid_field'],
    ['/subscription/verify', { sessionId: { $gt: '' } }, 422, 'invalid_field'],
    ['/subscription/verify', { sessionId: 'cs_unknown' }, 404, 'not_found'],
    ['/billing/change', { plan: 'free', interval: 'month' }, 422, 'invalid_field'],
    ['/billing/change', { plan: 'pro', interval: 'day' }, 422, 'invalid_field'],
    ['/billing/change', { plan: 'pro', interval: 'month' }, 409, 'no_subscription'],
    ['/billing/cancel', {}, 409, 'no_subscription'],
    ['/billing/resume', {}, 409, 'no_subscription'],
    ['/billing/portal', {}, 409, 'no_subscription'],
  ])('POST %s %j answers %i %s', async (path, body, status, code) => {
    const answer = await (await member()).post<ErrorBody>(path, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it("another user's checkout answers 404 and changes nothing", async () => {
    const [payer, other] = [await member(), await member()];
    const id = await checkout(payer);
    await press(id, 'pay');
    expect((await verify<ErrorBody>(other, id)).status).toBe(404);
    expect((await userOf(other)).subscriptionPlan).toBeNull();
    expect((await other.get<Invoice[]>('/billing/invoices')).body).toEqual([]);
  });

  it('a second subscription answers 409 with what to do instead', async () => {
    const api = await member();
    await subscribe(api);
    for (const priceId of ['price_starter_month', 'price_pro_month']) {
      const { status, body } = await api.post<ErrorBody>('/stripe/checkout', { priceId });
      expect([status, body.code]).toEqual([409, 'already_subscribed']);
    }
  });

  it('refuses guests until they register', async () => {
    const guest = await us.guest();
    for (const [path, body] of [
      ['/stripe/checkout', { priceId: 'price_pro_month' }],
      ['/stripe/upgrade', {}],
    ] as const)
      expect((await guest.post(path, body)).status).toBe(403);
  });

  it.each([
    ['POST', '/stripe/checkout'],
    ['POST', '/stripe/upgrade'],
    ['POST', '/subscription/verify'],
    ['GET', '/billing'],
    ['GET', '/billing/invoices'],
    ['POST', '/billing/change'],
    ['POST', '/billing/cancel'],
    ['POST', '/billing/resume'],
    ['POST', '/billing/portal'],
  ])('%s %s without a session answers 401', async (method, path) => {
    expect((await us.call(method, path)).status).toBe(401);
  });
});

describe('POST /api/stripe/webhook', () => {
  it.each([
    ['without a signature', '{}', {}],
    ['with a wrong one', '{}', { 'stripe-signature': 't=1,v1=00' }],
    ['without a body', undefined, { 'stripe-signature': 't=1,v1=00' }],
    ['with a body of another type', 'a=b', { 'content-type': 'text/plain' }],
  ])('%s answers 400 bad_signature and stores nothing', async (_name, body, headers) => {
    const before = await database.collection('payment_events').countDocuments({});
    const answer = await us.call('POST', '/stripe/webhook', {
      ...(body !== undefined && { body }),
      headers,
    });
    expect([answer.status, answer.body.code]).toEqual([400, 'bad_signature']);
    expect(await database.collection('payment_events').countDocuments({})).toBe(before);
  });

  it('refuses a body that is too large', async () => {
    const body = 'x'.repeat(300 * 1_024);
    expect((await us.call('POST', '/stripe/webhook', { body })).status).toBe(413);
  });
});

describe('deleting an account', () => {
  it('cancels its subscription at the provider and keeps no data', async () => {
    const api = await member();
    const { id } = await userOf(api);
    await subscribe(api);
    const gone = { currentPassword: 'a long enough password' };
    expect((await api.call('DELETE', '/auth/user', gone)).status).toBe(202);
    const owned = { ownerId: database.base.Types.ObjectId.createFromHexString(id) };
    await expect.poll(() => database.collection('subscriptions').countDocuments(owned)).toBe(0);
    const [customer] = await stack.payments.simulator.store.listOf(id);
    expect(customer?.state).toMatchObject({ email: '', subscriptions: [{ status: 'canceled' }] });
  });
});

describe("the operator's page of payments", () => {
  const basic = (password: string) => ({
    authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`,
  });
  const open = (path = '', init: RequestInit = {}, web: TestProcess = stack.web) =>
    fetch(`${web.url}/operator/payments${path}`, { redirect: 'manual', ...init });
  const flag = (id: string, state = 'failed') =>
    database.collection<{ _id: string }>('payment_events').insertOne({
      _id: id,
      type: 'customer.<b>updated</b>',
      state,
      tries: 12,
      lastError: '<script>alert(1)</script>',
      receivedAt: new Date(),
    } as { _id: string });

  it('does not exist without the setting', async () => {
    const { OPERATOR_TOKEN: _token, ...env } = stack.env;
    const web = await startProcess('web', { env });
    const headers = { ...basic(OPERATOR_TOKEN), accept: 'application/json' };
    expect((await open('', { headers }, web)).status).toBe(404);
    expect((await open('/evt_1/apply', { method: 'POST', headers }, web)).status).toBe(404);
  });

  it.each([
    ['nothing', {}],
    ['another password', basic('something else')],
    ['a part of the password', basic(OPERATOR_TOKEN.slice(0, -1))],
    ['an empty password', basic('')],
    ['another scheme', { authorization: `Bearer ${OPERATOR_TOKEN}` }],
  ])('asks for the password when given %s', async (_name, headers) => {
    for (const answer of [
      await open('', { headers }),
      await open('/evt_1/apply', { method: 'POST', headers }),
    ])
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining('Basic'),
      ]);
  });

  it('shows failed events as text, and styles with the nonce of the policy', async () => {
    await flag('evt_shown');
    const answer = await open('', { headers: basic(OPERATOR_TOKEN) });
    const page = await answer.text();
    expect(page).toContain('evt_shown');
    for (const cell of ['<th>Attempts</th>', '<td>12</td>']) expect(page).toContain(cell);
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).not.toContain('<script');
    expect(page).not.toContain('<b>');
    const nonce = /<style nonce="([^"]+)"/.exec(page)?.[1] ?? 'none';
    expect(answer.headers.get('content-security-policy')).toContain(`'nonce-${nonce}'`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('applies a failed event again', async () => {
    await flag('evt_again');
    const headers = { ...basic(OPERATOR_TOKEN), origin: stack.web.url };
    const answer = await open('/evt_again/apply', { method: 'POST', headers });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/operator/payments?applied=true',
    ]);
    const state = async () =>
      (
        await database.collection<{ _id: string; state: string }>('payment_events').findOne({
          _id: 'evt_again',
        })
      )?.state;
    await expect.poll(state).toBe('applied');
    const again = await open('/evt_again/apply', { method: 'POST', headers });
    expect(again.status).toBe(404);
  });

  it('refuses to apply for another site', async () => {
    await flag('evt_foreign');
    const headers = { ...basic(OPERATOR_TOKEN), origin: 'https://evil.example' };
    const answer = await open('/evt_foreign/apply', { method: 'POST', headers });
    expect(answer.status).toBe(403);
  });
});
