import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRig, START, type StripeRig } from './rig.fixture.ts';
import { payCheckout } from './simulator/checkouts.ts';
import { refund } from './simulator/invoices.ts';
import type { CustomerStore } from './simulator/state.ts';

let test: StripeRig;
let store: CustomerStore;

beforeAll(async () => {
  test = await openRig();
  ({ store } = test);
});
afterAll(() => test.close());

const stored = async (name: string) => {
  const found = await store.find(name);
  if (!found) throw new Error(`${name} is not stored.`);
  return found;
};

it('refuses a change of another version than the current one', async () => {
  const { customerId } = await test.subscribe();
  const { state, version } = await stored(customerId);
  expect(await store.replace({ ...state, credit: 1 }, version)).toBe(true);
  expect(await store.replace({ ...state, credit: 2 }, version)).toBe(false);
  expect(await stored(customerId)).toMatchObject({ version: version + 1, state: { credit: 1 } });
});

it('concurrent changes are all made', async () => {
  const { id, customerId } = await test.subscribe();
  const invoiceId = (await test.stateOf(id)).invoices[0]?.id ?? '';
  const refunds = Array.from({ length: 8 }, () =>
    test.simulator.update(id, (draft) => refund(draft, invoiceId, 100)),
  );
  await Promise.all(refunds);
  expect((await stored(customerId)).state.invoices[0]?.charge?.refunded).toBe(800);
});

it('concurrent payments of one checkout start one subscription', async () => {
  const { id } = await test.checkout();
  await Promise.all(
    Array.from({ length: 8 }, () => test.simulator.update(id, (draft) => payCheckout(draft, id))),
  );
  expect((await stored(id)).state.subscriptions).toHaveLength(1);
  expect((await stored(id)).state.invoices).toHaveLength(1);
});

it('concurrent requests with one idempotency key make one checkout', async () => {
  const ownerId = 'owner-of-one-key';
  const made = await Promise.all(
    Array.from({ length: 8 }, () => test.checkout({ ownerId, idempotencyKey: 'one' })),
  );
  expect(new Set(made.map(({ id }) => id)).size).toBe(1);
  expect(await store.listOf(ownerId)).toHaveLength(1);
});

it('a key from a day ago makes another checkout', async () => {
  const options = { ownerId: 'owner-of-old-key', idempotencyKey: 'old' };
  const first = await test.checkout(options);
  test.clock.now = new Date(START.getTime() + 86_400_000 - 1);
  expect(await test.checkout(options)).toEqual(first);
  test.clock.now = new Date(START.getTime() + 86_400_000);
  expect(await test.checkout(options)).not.toEqual(first);
  test.clock.now = START;
});

it('a failed change stores nothing, not even events', async () => {
  const { id, customerId } = await test.subscribe();
  const before = await stored(customerId);
  const failing = test.simulator.update(id, (draft) => {
    refund(draft, before.state.invoices[0]?.id ?? '');
    throw new Error('crash');
  });
  await expect(failing).rejects.toThrow('crash');
  expect(await stored(customerId)).toEqual(before);
});

it('no two customers share a name', async () => {
  const first = await stored((await test.subscribe()).customerId);
  const second = await stored((await test.subscribe()).customerId);
  const { subscriptions } = first.state;
  expect(await store.insert({ ...first.state, id: 'cus_other' })).toBe(false);
  const stolen = store.replace({ ...second.state, subscriptions }, second.version);
  await expect(stolen).rejects.toMatchObject({ reason: 'key_reused' });
});

it('lists the customers of an owner, and those with something to do', async () => {
  const { ownerId, customerId } = await test.subscribe();
  expect((await store.listOf(ownerId)).map(({ state }) => state.id)).toEqual([customerId]);
  const dueIds = async (now: Date) => (await store.listDue(now, 100)).map(({ state }) => state.id);
  expect(await dueIds(START)).toContain(customerId);
  expect(await dueIds(new Date(START.getTime() - 1))).not.toContain(customerId);
  await test.simulator.update(customerId, ({ state }) => {
    for (const event of state.events) event.nextTryAt = null;
  });
  expect(await dueIds(START)).not.toContain(customerId);
  expect(await dueIds(new Date('2026-02-28T10:00:00Z'))).toContain(customerId);
});
