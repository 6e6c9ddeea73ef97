import { beforeEach, describe, expect, it } from 'vitest';
import { lifetimePeriod } from '../billing/index.ts';
import { monthlyPeriod } from '../billing/period.ts';
import { readUsage, setCap } from './overview.ts';
import { actsOf, first, STARTED_AT, used } from './test/acts.ts';
import { type Book, newObjectId, withBook } from './test/ledger-book.ts';

let book: Book;
let user: string;

withBook((opened) => {
  book = opened;
});

const { reserve, spend, subscriber } = actsOf(() => book);

beforeEach(() => {
  book.setTime('2026-03-10T09:00:00Z');
  user = subscriber(10_000);
});

describe('the usage of a subscriber', () => {
  it('is empty at first', async () => {
    expect(await readUsage(book.usage, user)).toEqual({
      used: 0,
      reserved: 0,
      limit: 10_000,
      tokensPerMessage: 1_700,
      startsAt: '2026-02-28T10:00:00.000Z',
      resetsAt: '2026-03-31T10:00:00.000Z',
      days: [],
      kinds: [],
      tokensPerDay: null,
      usedToday: 0,
      workspaces: [],
    });
  });

  it('lists charges by day and kind; running replies count as used', async () => {
    await spend(user, 100);
    book.setTime('2026-03-12T23:00:00Z');
    await spend(user, 200);
    await book.usage.settle(user, { ...first(), kind: 'search' }, used(30, 3));
    const released = first();
    await reserve(user, released);
    await book.usage.release(user, released);
    book.setTime('2026-03-14T01:00:00Z');
    await reserve(user);
    expect(await readUsage(book.usage, user)).toMatchObject({
      used: 833,
      reserved: 500,
      days: [
        { date: '2026-03-10', tokens: 100 },
        { date: '2026-03-12', tokens: 233 },
      ],
      kinds: [
        { kind: 'reply', tokens: 300 },
        { kind: 'search', tokens: 33 },
      ],
      usedToday: 500,
    });
  });

  it('has the average of a message, with its background calls, once five have ended', async () => {
    for (let sent = 0; sent < 4; sent += 1) await spend(user, 100);
    await book.usage.settle(user, { ...first(), kind: 'memory' }, used(90, 10));
    await reserve(user);
    expect(await readUsage(book.usage, user)).toMatchObject({ tokensPerMessage: 1_700 });
    await spend(user, 100);
    expect(await readUsage(book.usage, user)).toMatchObject({ tokensPerMessage: 120 });
  });

  it("has only the current period and the user's own charges", async () => {
    await spend(subscriber(10_000), 50);
    await spend(user, 100);
    book.setTime('2026-03-31T10:00:00Z');
    book.entitle(user, {
      limits: { tokens: 10_000 },
      period: monthlyPeriod({ startedAt: STARTED_AT, now: book.now() }),
    });
    expect(await readUsage(book.usage, user)).toMatchObject({ used: 0, days: [], kinds: [] });
  });
});

it('guests see their messages', async () => {
  const guest = newObjectId();
  await spend(guest, 100);
  expect(await readUsage(book.usage, guest)).toMatchObject({
    used: 100,
    limit: 100_000,
    resetsAt: null,
    messages: { used: 1, limit: 20 },
  });
});

describe('what is shown with the account', () => {
  const shown = (userId: string, isGuest = false) => book.usage.readPlan({ userId, isGuest });

  it('is the usage of the plan for a subscriber', async () => {
    await spend(user, 100);
    expect(await shown(user)).toEqual({
      subscriptionStatus: 'active',
      subscriptionPlan: 'starter',
      usage: {
        used: 100,
        reserved: 0,
        limit: 10_000,
        tokensPerMessage: 1_700,
        resetsAt: '2026-03-31T10:00:00.000Z',
      },
    });
  });

  it('has the own cap with the charges of the day, and the end of the day', async () => {
    await spend(user, 100);
    book.setTime('2026-03-11T23:00:00Z');
    await setCap(book.usage, user, 5_000);
    await spend(user, 200);
    await reserve(user);
    const cap = { used: 200, limit: 5_000, resetsAt: '2026-03-12T00:00:00.000Z' };
    expect(await shown(user)).toMatchObject({ usage: { used: 800, reserved: 500, cap } });
    await setCap(book.usage, user, null);
    expect((await shown(user)).usage).not.toHaveProperty('cap');
  });

  it('is the remaining demo quota for a guest', async () => {
    const guest = newObjectId();
    await spend(guest, 100);
    expect(await shown(guest, true)).toEqual({
      subscriptionStatus: 'guest',
      subscriptionPlan: null,
      demo: { messagesLeft: 19, messageLimit: 20, tokensLeft: 99_900, tokenLimit: 100_000 },
    });
  });

  it("does not count the reservation of a guest's running reply as used; the next send is refused by it", async () => {
    const guest = newObjectId();
    const running = first();
    await reserve(guest, running, 100, 100_000);
    const demo = { messagesLeft: 19, tokensLeft: 100_000 };
    expect(await shown(guest, true)).toMatchObject({ demo });
    await expect(reserve(guest)).rejects.toMatchObject({ code: 'too_many_replies' });
    await book.usage.settle(guest, running, used(90, 30));
    expect(await shown(guest, true)).toMatchObject({ demo: { tokensLeft: 99_880 } });
  });

  it('is nothing for a user without a plan', async () => {
    const ended = { subscribed: false, subscriptionStatus: null, subscriptionPlan: null };
    expect(await shown(subscriber(0, ended))).toEqual({
      subscriptionStatus: null,
      subscriptionPlan: null,
    });
  });

  it('is published after each settlement, release and expiry, for guests after each reservation, and after nothing else', async () => {
    const guest = newObjectId();
    const tellings = async (task: () => Promise<unknown>) => {
      const before = book.changed.length;
      await task();
      return book.changed.slice(before).filter((id) => [user, guest].includes(id));
    };
    const [key, other, ofGuest] = [first(), first(), first()];
    expect(await tellings(() => reserve(guest, ofGuest))).toEqual([guest]);
    expect(await tellings(() => reserve(guest, ofGuest))).toEqual([]);
    expect(await tellings(() => book.usage.release(guest, ofGuest))).toEqual([guest]);
    expect(await tellings(() => reserve(user, key))).toEqual([]);
    expect(await tellings(() => book.usage.settle(user, key, used(1, 1)))).toEqual([user]);
    expect(await tellings(() => book.usage.settle(user, key, used(1, 1)))).toEqual([]);
    await reserve(user, other);
    expect(await tellings(() => book.usage.release(user, other))).toEqual([user]);
    expect(await tellings(() => book.usage.release(user, other))).toEqual([]);
    await reserve(user, other);
    book.later(6 * 60_000);
    expect(await tellings(() => book.sweep())).toEqual([user]);
  });
});

describe('a change of plan', () => {
  it('keeps the usage when it raises the limit', async () => {
    await spend(user, 10_000);
    await expect(reserve(user)).rejects.toMatchObject({
      message:
        'The tokens of your plan are used up for this month. Upgrade to Pro to continue, or wait until March 31, 2026.',
      details: { used: 10_000, limit: 10_000, upgrade: true },
    });
    book.entitle(user, {
      kind: 'user',
      subscribed: true,
      subscriptionPlan: 'pro',
      limits: { tokens: 20_000 },
      period: monthlyPeriod({ startedAt: STARTED_AT, now: book.now() }),
    });
    expect(await readUsage(book.usage, user)).toMatchObject({ used: 10_000, limit: 20_000 });
    expect(await reserve(user)).toMatchObject({ replyTokens: 400 });
    expect((await book.audit(user)).stored.settled).toBe(10_000);
  });

  it('charges a running reply once', async () => {
    const key = first();
    await reserve(user, key);
    book.entitle(user, {
      kind: 'user',
      subscribed: true,
      limits: { tokens: 20_000 },
      period: monthlyPeriod({ startedAt: STARTED_AT, now: book.now() }),
    });
    await book.usage.settle(user, key, used(90, 30));
    await book.usage.settle(user, key, used(90, 30));
    expect(await readUsage(book.usage, user)).toMatchObject({ used: 120, limit: 20_000 });
  });

  it('to a smaller limit charges nothing and refuses more', async () => {
    await spend(user, 5_000);
    book.entitle(user, {
      kind: 'user',
      subscribed: true,
      limits: { tokens: 4_000 },
      period: monthlyPeriod({ startedAt: STARTED_AT, now: book.now() }),
    });
    expect(await readUsage(book.usage, user)).toMatchObject({ used: 5_000, limit: 4_000 });
    await expect(reserve(user)).rejects.toMatchObject({ code: 'quota_exceeded' });
  });
});

it('Pro is not asked to upgrade', async () => {
  const pro = subscriber(1_000, { subscriptionPlan: 'pro' });
  await spend(pro, 1_000);
  await expect(reserve(pro)).rejects.toSatisfy(
    (error: { details: object; message: string }) =>
      !('upgrade' in error.details) && error.message.includes('Wait until March 31, 2026'),
  );
});

it('a user who subscribes again begins a separate period', async () => {
  const user = subscriber(10_000);
  await book.usage.settle(user, first(), { promptTokens: 9_000, completionTokens: 0 });
  book.entitle(user, { period: lifetimePeriod, limits: { tokens: 0 } });
  expect(await readUsage(book.usage, user)).toMatchObject({ used: 0, limit: 0 });
  book.entitle(user, {
    kind: 'user',
    subscribed: true,
    limits: { tokens: 10_000 },
    period: monthlyPeriod({ startedAt: book.now(), now: book.now() }),
  });
  expect(await readUsage(book.usage, user)).toMatchObject({ used: 0, limit: 10_000 });
  expect(await reserve(user)).toMatchObject({ replyTokens: 400 });
});
