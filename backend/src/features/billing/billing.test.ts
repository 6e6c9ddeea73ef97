import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import { GUEST_TOKEN_LIMIT, MAX_RUNNING_REPLIES } from '../../contract/limits.ts';
import { PLANS } from '../../contract/plans.ts';
import { type Connection, connectMongo, createIndexes } from '../../db/mongo.ts';
import { NO_SUBSCRIPTION, type SubscriptionFacts } from './derive.ts';
import { computeEntitlements, UNLIMITED_TOKENS } from './entitlements.ts';
import { entitlementsOf, hasPlan } from './members.ts';
import { createSubscriptionStore, defineSubscriptionModel } from './model.ts';

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
  await connection.collection('subscriptions').deleteMany({});
});

const objectId = (id: string) => connection.base.Types.ObjectId.createFromHexString(id);
const subscribe = async (fields: object, ownerId = randomBytes(12).toString('hex')) => {
  accounts.set(ownerId, null);
  await connection
    .collection('subscriptions')
    .insertOne({ ownerId: objectId(ownerId), startedAt: STARTED, ...fields });
  return ownerId;
};
const billing = (plans: 'on' | 'off' = 'on') => {
  const find = async (id: string) => {
    const subscriptionStatus = accounts.get(id);
    return subscriptionStatus === undefined ? null : { subscriptionStatus };
  };
  const others = {
    accounts: { find, publishChange: async () => undefined },
    workspaces: { publishPlan: async () => undefined },
  };
  return { plans, subscriptions: store, others, now: () => NOW, guestTokens: GUEST_TOKEN_LIMIT };
};
const subscription = (fields: Partial<SubscriptionFacts>): SubscriptionFacts => ({
  ...NO_SUBSCRIPTION,
  startedAt: STARTED,
  ...fields,
});
const entitled = (fields: Partial<SubscriptionFacts>, now = NOW) =>
  computeEntitlements({
    account: { subscriptionStatus: null },
    subscription: subscription(fields),
    now,
  });
const [BEFORE, AFTER] = [new Date('2026-03-20T11:59:59Z'), new Date('2026-03-20T12:00:01Z')];

describe('entitlements', () => {
  it.each([
    [{ plan: 'starter' }, 200_000],
    [{ plan: 'pro', status: 'active' }, 3_000_000],
    [{ status: 'active' }, 200_000],
  ] as const)('of a subscriber with %j are %i tokens a month', (fields, tokens) => {
    expect(entitled(fields)).toMatchObject({
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

  it('of a guest are the demo quota, for the life of the guest', () => {
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
      limits: { tokens: 100_000, messages: 20 },
      runningReplies: 3,
      period: { id: 'demo', startsAt: null, endsAt: null },
      features: [],
      personas: 1,
      uploadBytes: 5 * 1024 * 1024,
      storageBytes: 50 * 1024 * 1024,
      filesPerMessage: 1,
    });
  });

  it('name the features and limits of the plan', () => {
    const [starter, pro] = PLANS;
    expect(entitled({ plan: 'starter', status: 'active' })).toMatchObject({
      features: starter.features.map(({ text }) => text),
      personas: 3,
      uploadBytes: 10 * 1024 * 1024,
      storageBytes: 1024 * 1024 * 1024,
    });
    expect(entitled({ plan: 'pro', status: 'active' })).toMatchObject({
      features: pro.features.map(({ text }) => text),
      personas: null,
      uploadBytes: 100 * 1024 * 1024,
      storageBytes: 20 * 1024 * 1024 * 1024,
    });
  });

  it('continue during the grace of a failed renewal, and stop when it ends', () => {
    const unpaid = (graceEndsAt: Date) =>
      entitled({ plan: 'pro', status: 'past_due', pastDue: { since: STARTED, graceEndsAt } });
    expect(unpaid(AFTER)).toMatchObject({
      subscriptionStatus: 'past_due',
      subscriptionPlan: 'pro',
      mayChat: true,
      limits: { tokens: 3_000_000 },
    });
    for (const over of [NOW, BEFORE])
      expect(unpaid(over)).toMatchObject({
        subscriptionStatus: 'past_due',
        subscriptionPlan: null,
        mayChat: false,
        limits: { tokens: 0 },
      });
  });

  it('of a cancelled subscription stop at its end, even before the event arrives', () => {
    const cancelled = (cancelsAt: Date) => entitled({ plan: 'pro', status: 'active', cancelsAt });
    expect(cancelled(AFTER)).toMatchObject({ subscriptionStatus: 'active', mayChat: true });
    for (const over of [NOW, BEFORE])
      expect(cancelled(over)).toMatchObject({ subscriptionStatus: null, mayChat: false });
  });

  it('stop while the payment is disputed', () => {
    expect(entitled({ plan: 'pro', status: 'disputed' })).toMatchObject({
      subscriptionStatus: null,
      subscriptionPlan: null,
      mayChat: false,
    });
  });

  it('are the sum of all parts in a usage period in which the price changed', () => {
    const startsAt = new Date('2026-02-28T12:00:00Z');
    const within = (endsAt: Date) =>
      entitled({ plan: 'pro', status: 'active', mixedPeriod: { startsAt, endsAt, tokens: 7 } });
    expect(within(AFTER)).toMatchObject({
      limits: { tokens: 7 },
      period: { id: startsAt.toISOString(), startsAt, endsAt: AFTER },
    });
    for (const over of [NOW, BEFORE])
      expect(within(over)).toMatchObject({ limits: { tokens: 3_000_000 } });
  });

  it('of a planned change begin at its time, even before the event arrives', () => {
    const pendingChange = { plan: 'starter', interval: 'month' } as const;
    const planned = (periodEndsAt: Date) =>
      entitled({ plan: 'pro', status: 'active', pendingChange, periodEndsAt });
    expect(planned(AFTER)).toMatchObject({ limits: { tokens: 3_000_000 }, lane: 'pro' });
    for (const over of [NOW, BEFORE])
      expect(planned(over)).toMatchObject({
        subscriptionPlan: 'starter',
        limits: { tokens: 200_000 },
        lane: 'starter',
        personas: 3,
      });
  });

  it.each([
    [{ subscriptionStatus: null }, null, 'user'],
    [{ subscriptionStatus: null }, subscription({}), 'user'],
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
    expect(await entitlementsOf(billing(), pro)).toMatchObject({ limits: { tokens: 3_000_000 } });
    expect(await entitlementsOf(billing(), starter)).toMatchObject({ limits: { tokens: 200_000 } });
    expect(await hasPlan(billing(), starter)).toBe(true);
    expect(await hasPlan(billing(), randomBytes(12).toString('hex'))).toBe(false);
  });

  it('of a deleted account are none, even with a remaining subscription', async () => {
    const gone = await subscribe({ plan: 'pro' });
    accounts.delete(gone);
    expect(await entitlementsOf(billing(), gone)).toMatchObject({ kind: 'none', mayChat: false });
  });

  it('of an account that the caller has read cost no further read', async () => {
    const pro = await subscribe({ plan: 'pro' });
    accounts.delete(pro);
    const user = await entitlementsOf(billing(), pro, { subscriptionStatus: null });
    const facts = { subscriptionStatus: null, subscriptionPlan: 'pro' };
    expect(user).toMatchObject({ kind: 'user', limits: { tokens: 3_000_000 }, ...facts });
    const guest = await entitlementsOf(billing(), pro, { subscriptionStatus: 'guest' });
    expect(guest).toMatchObject({
      kind: 'guest',
      subscribed: false,
      subscriptionStatus: 'guest',
      subscriptionPlan: null,
    });
  });
});

describe('subscriptions', () => {
  it('are one per user', async () => {
    const ownerId = await subscribe({ plan: 'pro' });
    await expect(subscribe({ plan: 'starter' }, ownerId)).rejects.toMatchObject({ code: 11_000 });
  });

  it('have separate customers', async () => {
    await subscribe({ customerIds: ['cus_3'] });
    const ownerId = await subscribe({ customerIds: ['cus_1', 'cus_2'] });
    for (const id of ['cus_1', 'cus_2']) expect(await store.ownerOfCustomer(id)).toBe(ownerId);
    expect(await store.ownerOfCustomer('cus_4')).toBeNull();
    await expect(subscribe({ customerIds: ['cus_2'] })).rejects.toMatchObject({ code: 11_000 });
    await subscribe({});
    await subscribe({});
  });

  it('that were stored without a version are changed like the others, once per version', async () => {
    const ownerId = await subscribe({ plan: 'pro' });
    const found = await store.findOrCreate(ownerId);
    const next = { facts: NO_SUBSCRIPTION, customerIds: [], keepCheckout: false };
    expect([await store.replace(found, next), await store.replace(found, next)]).toEqual([
      true,
      false,
    ]);
    expect(await store.findOf(ownerId)).toMatchObject({ version: 1, plan: null });
  });

  it('whose grace has ended are marked one by one', async () => {
    const pastDue = { since: STARTED, graceEndsAt: BEFORE };
    const [first, second] = [await subscribe({ pastDue }), await subscribe({ pastDue })];
    const waiting = await subscribe({ pastDue: { since: STARTED, graceEndsAt: AFTER } });
    for (const ownerId of [second, waiting]) await store.markGraceEndPublished(ownerId, NOW);
    expect(await store.findGraceEnded(NOW, 10)).toEqual([first]);
    expect(await store.findGraceEnded(AFTER, 10)).toEqual([first, waiting]);
  });

  it('of an unpaid or disputed plan protect their account from removal as unused', async () => {
    const locked = { status: 'past_due', pastDue: { since: STARTED, graceEndsAt: BEFORE } };
    expect(await hasPlan(billing(), await subscribe({ ...locked, subscriptionId: 'sub_1' }))).toBe(
      true,
    );
    expect(
      await hasPlan(billing(), await subscribe({ status: 'disputed', subscriptionId: 's' })),
    ).toBe(true);
    expect(await hasPlan(billing(), await subscribe({ customerIds: ['cus_8'] }))).toBe(false);
  });
});

describe('without plans', () => {
  const unlimited = {
    kind: 'user',
    mayChat: true,
    lane: 'pro',
    personas: null,
    uploadBytes: PLANS[1].limits.uploadBytes,
    filesPerMessage: 10,
    limits: { tokens: UNLIMITED_TOKENS },
    runningReplies: MAX_RUNNING_REPLIES.user,
  };

  it.each([
    ['a guest', 'guest' as const],
    ['a user', null],
  ])('%s has what Pro has, without a quota', async (_who, status) => {
    const id = randomBytes(12).toString('hex');
    accounts.set(id, status);
    const facts = { subscriptionStatus: status ?? 'active', subscriptionPlan: 'pro' };
    expect(await entitlementsOf(billing('off'), id)).toMatchObject({ ...unlimited, ...facts });
    const known = { subscriptionStatus: status };
    expect(await entitlementsOf(billing('off'), id, known)).toMatchObject(facts);
    expect(await hasPlan(billing('off'), id)).toBe(true);
    expect(await entitlementsOf(billing(), id)).not.toMatchObject({ lane: 'pro' });
  });

  it('a missing account has nothing', async () => {
    const nobody = randomBytes(12).toString('hex');
    expect(await entitlementsOf(billing('off'), nobody)).toMatchObject({
      kind: 'none',
      mayChat: false,
    });
  });
});
