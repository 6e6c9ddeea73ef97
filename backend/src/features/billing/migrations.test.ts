import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import { migrate } from '../../db/migrate.ts';
import { type Connection, connectMongo } from '../../db/mongo.ts';
import { NO_SUBSCRIPTION } from './derive.ts';
import { billingMigrations } from './migrations.ts';
import { createSubscriptionStore, defineSubscriptionModel } from './model.ts';

let connection: Connection;
let store: ReturnType<typeof createSubscriptionStore>;

beforeAll(async () => {
  connection = await connectMongo(ownDatabase());
  store = createSubscriptionStore(defineSubscriptionModel(connection));
});
afterAll(() => connection.close());
beforeEach(async () => {
  for (const name of ['users', 'subscriptions', 'migrations'])
    await connection.collection(name).deleteMany({});
});

const objectId = (id: string) => connection.base.Types.ObjectId.createFromHexString(id);
const createdAt = new Date('2026-01-05T08:00:00Z');
const insertUsers = async () => {
  const users = connection.collection('users');
  const { insertedIds } = await users.insertMany([
    { createdAt, subscriptionPlan: 'pro', subscriptionStatus: 'active', paymentCustomerId: 'c1' },
    { createdAt, paymentCustomerId: 'c2' },
    { createdAt, subscriptionStatus: 'active' },
    { createdAt, subscriptionPlan: 'pro' },
    { createdAt, subscriptionStatus: 'guest' },
    { createdAt, firstName: 'Ada' },
  ]);
  return Object.values(insertedIds).map(String);
};
const expectMoved = async (ids: string[]) => {
  const given = { ...NO_SUBSCRIPTION, version: 0, status: 'active', startedAt: createdAt };
  const none = { customerIds: [], checkout: null };
  const [pro = '', customer = '', active = '', planned = '', ...others] = ids;
  expect([await store.findOf(pro), await store.findOf(customer)]).toEqual([
    { ...given, ...none, ownerId: pro, plan: 'pro', customerIds: ['c1'] },
    { ...NO_SUBSCRIPTION, ...none, ownerId: customer, version: 0, customerIds: ['c2'] },
  ]);
  expect([await store.findOf(active), await store.findOf(planned)]).toEqual([
    { ...given, ...none, ownerId: active, plan: 'starter' },
    { ...given, ...none, ownerId: planned, plan: 'pro' },
  ]);
  for (const other of others) expect(await store.findOf(other)).toBeNull();
  const stored = await connection.collection('subscriptions').find({}).toArray();
  expect(stored.some((document) => 'paymentCustomerId' in document)).toBe(false);
  const users = await connection.collection('users').find({}).sort({ _id: 1 }).toArray();
  expect(users.map(({ _id, createdAt: _createdAt, ...fields }) => fields)).toEqual([
    {},
    {},
    {},
    {},
    { subscriptionStatus: 'guest' },
    { firstName: 'Ada' },
  ]);
};

describe('the migrations of subscriptions', () => {
  it('move plan, status and payment customer, and leave guests as they are', async () => {
    const ids = await insertUsers();
    await migrate(connection, billingMigrations);
    await expectMoved(ids);
    expect(await connection.collection('subscriptions').countDocuments({})).toBe(4);
  });

  it('change nothing when they run again after a crash at any place', async () => {
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
    expect(await connection.collection('subscriptions').countDocuments({})).toBe(4);
  });

  it('leave a record that was written since as it is', async () => {
    const [first = ''] = await insertUsers();
    const state = { status: 'past_due', plan: 'starter', version: 7 };
    await connection.collection('subscriptions').insertOne({ ownerId: objectId(first), ...state });
    for (const { run } of billingMigrations.slice(1)) await run(connection);
    expect(await store.findOf(first)).toMatchObject(state);
  });
});
