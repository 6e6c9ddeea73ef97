import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startReceiver } from '../receiver.fixture.ts';
import { openRig, START, type StripeRig } from '../rig.fixture.ts';
import { sendAgain } from './delivery.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

let test: StripeRig;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let status = 200;
/** Events of this type are refused, independent of `status`. */
let refusedType = '';

beforeAll(async () => {
  test = await openRig();
  receiver = await startReceiver(({ rawBody }) => (typeOf(rawBody) === refusedType ? 503 : status));
});
beforeEach(async () => {
  status = 200;
  refusedType = '';
  test.clock.now = START;
  await test.delivery.deliverDue(receiver.url);
  receiver.take();
});
afterEach(async () => {
  await test.connection.collection('test_gateway_customers').deleteMany({});
});
afterAll(async () => {
  receiver.close();
  await test.close();
});

const typeOf = (rawBody: Buffer) => (JSON.parse(String(rawBody)) as { type: string }).type;
const deliver = async (webhookUrl = receiver.url) => {
  await test.delivery.deliverDue(webhookUrl);
  return receiver.take();
};
const wait = (ms: number) => {
  test.clock.now = new Date(test.clock.now.getTime() + ms);
};

it('delivers each event once when it is accepted', async () => {
  await test.subscribe();
  expect(await deliver()).toHaveLength(3);
  wait(DAY_MS);
  expect(await deliver()).toHaveLength(0);
});

it('retries after doubling delays, with a new signature', async () => {
  await test.subscribe();
  status = 503;
  const [first] = await deliver();
  for (const seconds of [5, 10, 20]) {
    wait(seconds * SECOND_MS - 1);
    expect(await deliver()).toHaveLength(0);
    wait(1);
    const again = await deliver();
    expect(again).toHaveLength(3);
    const event = again.find(({ rawBody }) => first && rawBody.equals(first.rawBody));
    expect(event?.signature).not.toBe(first?.signature);
  }
  status = 200;
  wait(40 * SECOND_MS);
  expect(await deliver()).toHaveLength(3);
  wait(DAY_MS);
  expect(await deliver()).toHaveLength(0);
});

it('retries only refused events', async () => {
  await test.subscribe();
  refusedType = 'invoice.paid';
  expect(await deliver()).toHaveLength(3);
  wait(5 * SECOND_MS);
  expect((await deliver()).map(({ rawBody }) => typeOf(rawBody))).toEqual(['invoice.paid']);
});

it('retries when nothing listens there, and gives up after three days', async () => {
  await test.subscribe();
  const nobody = 'http://127.0.0.1:9/api/stripe/webhook';
  await deliver(nobody);
  wait(3 * DAY_MS - SECOND_MS);
  await deliver(nobody);
  wait(DAY_MS);
  expect(await deliver()).toHaveLength(0);
});

it('another process delivers an event that a process took and did not deliver', async () => {
  const { customerId } = await test.subscribe();
  // The process crashes between taking the events and sending them.
  await test.delivery.deliverDue('http://127.0.0.1:9/');
  expect(await deliver()).toHaveLength(0);
  wait(5 * SECOND_MS);
  expect(await deliver()).toHaveLength(3);
  expect((await test.simulator.find(customerId))?.events).toHaveLength(3);
});

it('two concurrent processes deliver an event once', async () => {
  await test.subscribe();
  const other = test.open();
  await Promise.all([
    test.delivery.deliverDue(receiver.url),
    other.delivery.deliverDue(receiver.url),
  ]);
  const ids = receiver.take().map(({ rawBody }) => rawBody.toString());
  expect(ids).toHaveLength(3);
});

it('sends all events again on request', async () => {
  const { id } = await test.subscribe();
  const first = await deliver();
  await test.simulator.update(id, sendAgain);
  const again = await deliver();
  const bodies = (events: typeof first) => events.map(({ rawBody }) => String(rawBody)).toSorted();
  expect(bodies(again)).toEqual(bodies(first));
});

it('renews and delivers by itself when the period ends', async () => {
  const { id } = await test.subscribe();
  await deliver();
  test.clock.now = new Date('2026-02-28T10:00:00Z');
  const types = (await deliver()).map(({ rawBody }) => typeOf(rawBody));
  expect(types.toSorted()).toEqual(['customer.subscription.updated', 'invoice.paid']);
  const { subscriptions, invoices } = await test.stateOf(id);
  expect(subscriptions.map(({ status }) => status)).toEqual(['active']);
  expect(invoices).toHaveLength(2);
});

it('keeps undelivered events, and the last 200 of the others', async () => {
  const { id, customerId } = await test.subscribe();
  await deliver();
  await test.simulator.update(id, ({ state }) => {
    const [event] = state.events;
    if (event) state.events = Array.from({ length: 300 }, (_, n) => ({ ...event, id: `evt_${n}` }));
    for (const each of state.events.slice(-150)) each.nextTryAt = START;
    for (const each of state.events.slice(0, 2))
      Object.assign(each, { type: 'refused', nextTryAt: START });
  });
  refusedType = 'refused';
  await deliver();
  const kept = (await test.simulator.find(customerId))?.events.map((event) => event.id) ?? [];
  expect(kept).toHaveLength(202);
  expect(kept.slice(0, 3)).toEqual(['evt_0', 'evt_1', 'evt_100']);
});

it('delivers soon after a change in its process, until it is stopped', async () => {
  const other = test.open();
  const stop = other.delivery.start({
    webhookUrl: receiver.url,
    onError: (error) => expect.unreachable(String(error)),
  });
  await test.subscribe();
  const got: string[] = [];
  await expect
    .poll(() => {
      got.push(...receiver.take().map(({ rawBody }) => String(rawBody)));
      return got.length;
    })
    .toBe(3);
  await stop();
});
