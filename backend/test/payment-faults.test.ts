import { Redis } from 'ioredis';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Received } from '../embedded/stripe/receiver.fixture.ts';
import { endPeriodNow } from '../embedded/stripe/simulator/clock.ts';
import type { User } from '../src/contract/auth.ts';
import type { CheckoutResult, VerifyResult } from '../src/contract/billing.ts';
import { type Connection, connectMongo } from '../src/db/mongo.ts';
import { checkoutIdIn, eventId, postEvent, startPayments } from './payments.ts';
import { startProcess } from './processes.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';
import { startTcpProxy } from './tcp-proxy.ts';
import { visitor } from './visitor.ts';

let stack: Stack;
let payments: Awaited<ReturnType<typeof startPayments>>;
let database: Connection;
const ACTIVE_JOBS = '{payment-events}:payment-events:active';

beforeAll(async () => {
  payments = await startPayments();
  stack = await startStack(payments.env);
  database = await connectMongo(stack.env.MONGODB_URI ?? '');
  return () => database.close();
});

const member = async () => (await visitor(stack.web.url).member()).api;
const planOf = async (api: ApiClient) => (await api.get<User>('/auth/user')).body.subscriptionPlan;
const checkout = async (api: ApiClient, priceId = 'price_pro_month') => {
  const { body } = await api.post<CheckoutResult>('/stripe/checkout', { priceId });
  return checkoutIdIn('url' in body ? body.url : '');
};
const paid = async (api: ApiClient): Promise<{ id: string; events: Received[] }> => {
  await payments.events();
  const id = await checkout(api);
  await payments.pay(id);
  return { id, events: await payments.events() };
};
const post = (event: Received) => postEvent(event, stack.web.url);
const stored = (events: Received[]) =>
  database
    .collection<{ _id: string; state: string; tries: number }>('payment_events')
    .find({ _id: { $in: events.map(eventId) } })
    .toArray();
const states = async (events: Received[]) => (await stored(events)).map(({ state }) => state);
const APPLIED = (events: Received[]) => events.map(() => 'applied');

describe('events of the payment provider', () => {
  it('fault 22: ten times, reversed and with forged ones among them, are applied once each', async () => {
    const api = await member();
    const { events } = await paid(api);
    const forged = events.map((event) => ({ ...event, signature: 't=1,v1=00' }));
    const bodies = events.map(({ rawBody, signature }) => ({
      rawBody: Buffer.from(rawBody.toString().replace('cus_', 'cus_0')),
      signature,
    }));
    const all = Array.from({ length: 10 }, () => events.toReversed()).flat();
    const answers = await Promise.all(all.map(post));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const bad of [...forged, ...bodies]) {
      const answer = await post(bad);
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ code: 'bad_signature' }),
      ]);
    }
    await expect.poll(() => planOf(api)).toBe('pro');
    await expect.poll(() => states(events)).toEqual(APPLIED(events));
    expect((await stored(events)).map(({ tries }) => tries)).toEqual(events.map(() => 1));
  });

  it('fault 22: are applied when the worker is killed half way', async () => {
    const api = await member();
    const { events } = await paid(api);
    const redis = new Redis(stack.redis.url);
    payments.proxy.hang();
    for (const event of events) expect((await post(event)).status).toBe(200);
    await expect.poll(() => redis.llen(ACTIVE_JOBS)).toBeGreaterThan(0);
    await stack.worker.kill();
    redis.disconnect();
    expect(await planOf(api)).toBeNull();
    payments.proxy.restore();
    await stack.worker.restart();
    await expect.poll(() => planOf(api)).toBe('pro');
    await expect.poll(() => states(events)).toEqual(APPLIED(events));
  });

  it('are stored and applied later when Redis is unreachable', async () => {
    const api = await member();
    const { events } = await paid(api);
    await stack.redis.kill();
    for (const event of events) expect((await post(event)).status).toBe(200);
    expect(await states(events)).toEqual(events.map(() => 'received'));
    await stack.redis.restart();
    await expect.poll(() => planOf(api)).toBe('pro');
    await expect.poll(() => states(events)).toEqual(APPLIED(events));
  });

  it('are refused when the database is unreachable, so that the provider sends them again', async () => {
    const address = new URL(stack.env.MONGODB_URI ?? '');
    const proxy = await startTcpProxy(Number(address.port));
    address.port = String(proxy.port);
    const web = await startProcess('web', {
      env: { ...stack.env, MONGODB_URI: address.toString() },
    });
    const api = await member();
    const { events } = await paid(api);
    proxy.cut();
    for (const event of events) expect((await postEvent(event, web.url)).status).toBe(503);
    proxy.restore();
    for (const event of events)
      await expect.poll(async () => (await postEvent(event, web.url)).status).toBe(200);
    await expect.poll(() => planOf(api)).toBe('pro');
  });

  it('before or after the return from the payment have the same result', async () => {
    const [early, late] = [await member(), await member()];
    const first = await paid(early);
    for (const event of first.events) await post(event);
    await expect.poll(() => planOf(early)).toBe('pro');
    const second = await paid(late);
    const verify = (api: ApiClient, sessionId: string) =>
      api.post<VerifyResult>('/subscription/verify', { sessionId });
    for (const [api, { id }] of [
      [early, first],
      [late, second],
    ] as const) {
      const { status, body } = await verify(api, id);
      expect([status, body.success, body.plan]).toEqual([200, true, 'pro']);
    }
    for (const event of second.events) await post(event);
    await expect.poll(() => states(second.events)).toEqual(APPLIED(second.events));
    expect(await planOf(late)).toBe('pro');
  });

  it('reach every tab of the user', async () => {
    const api = await member();
    const { id, events } = await paid(api);
    const states: User['subscriptionStatus'][][] = [];
    const conversation = await api.conversation();
    for (let n = 0; n < 2; n += 1) {
      const seen: User['subscriptionStatus'][] = [];
      states.push(seen);
      const tab = await api.tab(conversation);
      tab.socket.on('account:changed', (user) => seen.push(user.subscriptionStatus));
    }
    for (const event of events) await post(event);
    for (const seen of states) await expect.poll(() => seen.at(-1)).toBe('active');
    const subscription = await payments.subscriptionOf(id);
    await payments.simulator.update(subscription, (draft) =>
      endPeriodNow(draft, subscription, 'declined'),
    );
    for (const event of await payments.events()) await post(event);
    for (const seen of states) await expect.poll(() => seen.at(-1)).toBe('past_due');
  });
});
