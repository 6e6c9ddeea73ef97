import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import { migrate } from '../../db/migrate.ts';
import { type Connection, connectMongo, createIndexes } from '../../db/mongo.ts';
import { computeEntitlements } from './entitlements.ts';
import { billingMigrations } from './migrations.ts';
import { createSubscriptionStore, defineSubscriptionModel, type Subscription } from './model.ts';
import { createBillingService } from './service.ts';

const NOW = new Date('2026-03-20T12:00:00Z');
const STARTED = new Date('2026-01-31T12:00:00Z');

let connection: Connection;
let store: ReturnType<typeof createSubscriptionStore>;
const accounts = new Map<string, 'guest' | null>();

beforeAll(async () => {
  connection = await connectMongo(ownDatabase());
  store = createSubscriptionStore(defineSubscriptionModel(connection));
  await createIndexes(connection);
});
afterAll(() => connection.close());
beforeEach(async () => {
  accounts.clear();
  for (const name of ['users', 'subscriptions', 'migrations'])
    await connection.collection(name).deleteMany({});
});

const objectId = (id: string) => connection.base.Types.ObjectId.createFromHexString(id);
const subscribe = async (fields: object, ownerId = randomBytes(12).toString('hex')) => {
  accounts.set(ownerId, null);
  await connection
    .collection('subscriptions')
    .insertOne({ ownerId: objectId(ownerId), startedAt: STARTED, ...fields });
  return ownerId;
};
const billing = () =>
  createBillingService({
    subscriptions: store,
    findAccount: async (id) => {
      const subscriptionStatus = accounts.get(id);
      return subscriptionStatus === undefined ? null : { subscriptionStatus };
    },
    now: () => NOW,
  });
const subscription = (fields: Partial<Subscription>): Subscription => ({
  plan: null,
  status: null,
  startedAt: STARTED,
  paymentCustomerId: null,
  ...fields,
});

describe('entitlements', () => {
  it.each([
    [{ plan: 'starter' }, 200_000],
    [{ plan: 'pro', status: 'active' }, 3_000_000],
    [{ status: 'active' }, 200_000],
  ] as const)('of a subscriber with %j are %i tokens a month', (fields, tokens) => {
    const account = { subscriptionStatus: null };
    expect(
      computeEntitlements({ account, subscription: subscription(fields), now: NOW }),
    ).toMatchObject({
      kind: 'user',
      subscribed: true,
      mayChat: true,
      limits: { tokens },
      runningReplies: 6,
      period: {
        startsAt: new Date('2026-02-28T12:00:00Z'),
        endsAt: new Date('2026-03-31T12:00:00Z'),
      },
    });
  });

  it('of a guest are those of the demo, for the life of the guest', () => {
    const account = { subscriptionStatus: 'guest' as const };
    expect(
      computeEntitlements({ account, subscription: subscription({ plan: 'pro' }), now: NOW }),
    ).toEqual({
      kind: 'guest',
      lane: 'guest',
      subscriptionStatus: 'guest',
      subscriptionPlan: null,
      subscribed: false,
      mayChat: true,
      limits: { tokens: 20_000, messages: 20 },
      runningReplies: 3,
      period: { id: 'demo', startsAt: null, endsAt: null },
    });
  });

  it.each([
    [{ subscriptionStatus: null }, null, 'user'],
    [{ subscriptionStatus: null }, subscription({ paymentCustomerId: 'cus_1' }), 'user'],
    [null, subscription({ plan: 'pro', status: 'active' }), 'none'],
  ] as const)('without account or plan are none (%j, %j)', (account, found, kind) => {
    expect(computeEntitlements({ account, subscription: found, now: NOW })).toMatchObject({
      kind,
      subscribed: false,
      mayChat: false,
      limits: { tokens: 0 },
    });
  });

  it("are read from the user's own subscription", async () => {
    const [pro, starter] = [await subscribe({ plan: 'pro' }), await subscribe({ plan: 'starter' })];
    const { entitlementsOf, planOf, hasPlan } = billing();
    expect(await entitlementsOf(pro)).toMatchObject({ limits: { tokens: 3_000_000 } });
    expect(await entitlementsOf(starter)).toMatchObject({ limits: { tokens: 200_000 } });
    expect(await planOf({ userId: pro, isGuest: false })).toEqual({
      subscriptionStatus: null,
      subscriptionPlan: 'pro',
    });
    expect(await planOf({ userId: pro, isGuest: true })).toEqual({
      subscriptionStatus: 'guest',
      subscriptionPlan: null,
    });
    expect(await hasPlan(starter)).toBe(true);
    expect(await hasPlan(randomBytes(12).toString('hex'))).toBe(false);
  });

  it('of a deleted account are none, even if its subscription is left', async () => {
    const gone = await subscribe({ plan: 'pro' });
    accounts.delete(gone);
    expect(await billing().entitlementsOf(gone)).toMatchObject({ kind: 'none', mayChat: false });
  });

  it('of an account that the caller has read are not read from the account again', async () => {
    const pro = await subscribe({ plan: 'pro' });
    accounts.delete(pro);
    const { entitlementsOf } = billing();
    const user = await entitlementsOf(pro, { subscriptionStatus: null });
    expect(user).toMatchObject({ kind: 'user', limits: { tokens: 3_000_000 } });
    const guest = await entitlementsOf(pro, { subscriptionStatus: 'guest' });
    expect(guest).toMatchObject({ kind: 'guest', subscribed: false });
  });
});

describe('subscriptions', () => {
  it('are one per user', async () => {
    const ownerId = await subscribe({ plan: 'pro' });
    await expect(subscribe({ plan: 'starter' }, ownerId)).rejects.toMatchObject({ code: 11_000 });
  });

  it("are removed with their owner's account only", async () => {
    const [gone, stays] = [await subscribe({ plan: 'pro' }), await subscribe({ plan: 'pro' })];
    await billing().removeAllOf(gone);
    expect([await store.findOf(gone), await store.findOf(stays)]).toMatchObject([
      null,
      { plan: 'pro' },
    ]);
  });

  it("keep the payment provider's customer", async () => {
    const ownerId = await subscribe({ paymentCustomerId: 'cus_7' });
    expect(await billing().paymentCustomerOf(ownerId)).toBe('cus_7');
    expect(await billing().paymentCustomerOf(randomBytes(12).toString('hex'))).toBeNull();
  });
});

describe('the migration of subscriptions', () => {
  const createdAt = new Date('2026-01-05T08:00:00Z');
  const insertUsers = async () => {
    const users = connection.collection('users');
    const { insertedIds } = await users.insertMany([
      { createdAt, subscriptionPlan: 'pro', subscriptionStatus: 'active', paymentCustomerId: 'c1' },
      { createdAt, paymentCustomerId: 'c2' },
      { createdAt, subscriptionStatus: 'active' },
      { createdAt, subscriptionStatus: 'guest' },
      { createdAt, firstName: 'Ada' },
    ]);
    return Object.values(insertedIds).map(String);
  };
  const expectMoved = async ([
    pro = '',
    customer = '',
    active = '',
    guest = '',
    plain = '',
  ]: string[]) => {
    expect(await store.findOf(pro)).toEqual({
      plan: 'pro',
      status: 'active',
      startedAt: createdAt,
      paymentCustomerId: 'c1',
    });
    expect(await store.findOf(customer)).toMatchObject({ plan: null, paymentCustomerId: 'c2' });
    expect(await store.findOf(active)).toMatchObject({ plan: null, status: 'active' });
    expect([await store.findOf(guest), await store.findOf(plain)]).toEqual([null, null]);
    const users = await connection.collection('users').find({}).sort({ _id: 1 }).toArray();
    expect(users.map(({ _id, createdAt: _createdAt, ...fields }) => fields)).toEqual([
      {},
      {},
      {},
      { subscriptionStatus: 'guest' },
      { firstName: 'Ada' },
    ]);
  };

  it('moves plan, status and payment customer, and leaves guests as they are', async () => {
    const ids = await insertUsers();
    await migrate(connection, billingMigrations);
    await expectMoved(ids);
    expect(await connection.collection('subscriptions').countDocuments({})).toBe(3);
  });

  it('changes nothing when it runs again after a crash at any place', async () => {
    const ids = await insertUsers();
    const [first = ''] = ids;
    // As after a crash between the two writes for the first account.
    await connection.collection('subscriptions').insertOne({
      ownerId: objectId(first),
      plan: 'pro',
      status: 'active',
      startedAt: createdAt,
      paymentCustomerId: 'c1',
    });
    for (const { run } of [...billingMigrations, ...billingMigrations]) await run(connection);
    await expectMoved(ids);
    expect(await connection.collection('subscriptions').countDocuments({})).toBe(3);
  });
});
