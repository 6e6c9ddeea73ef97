import { beforeEach, expect, it } from 'vitest';
import { monthlyPeriod } from '../billing/period.ts';
import { ownPayer } from '../payer.ts';
import { removeAllOf } from './lines.ts';
import { readUsage, setCap } from './overview.ts';
import { actsOf, first, MINUTE, STARTED_AT, used } from './test/acts.ts';
import { type Book, newObjectId, withBook } from './test/ledger-book.ts';

let book: Book;
let user: string;

withBook((opened) => {
  book = opened;
});

const { reserve, spend, subscriber } = actsOf(() => book);

beforeEach(() => {
  book.setTime('2026-03-10T09:00:00Z');
  user = subscriber(1_000_000, { running: 100 });
});

const cap = (tokensPerDay: number | null, ownerId = user) =>
  setCap(book.usage, ownerId, tokensPerDay);
const exhausted = { status: 402, code: 'quota_exceeded', details: { cap: true } };

it("refuses a reply beyond the user's own cap, and names the cap and where to change it", async () => {
  await cap(1_000);
  await spend(user, 1_000);
  await expect(reserve(user)).rejects.toMatchObject({
    ...exhausted,
    message:
      'Your own limit of 1,000 tokens per day is used up. Change it in Settings, or continue tomorrow (UTC).',
    details: { used: 1_000, limit: 1_000, resetsAt: '2026-03-11T00:00:00.000Z', cap: true },
  });
  await cap(2_000);
  expect(await reserve(user)).toMatchObject({ replyTokens: 400 });
});

it('limits the reply to the rest of the day', async () => {
  await cap(1_000);
  await spend(user, 600);
  expect(await reserve(user)).toMatchObject({ replyTokens: 300 });
});

it('counts a running reply, and its rest', async () => {
  await cap(1_000);
  const key = first();
  await reserve(user, key, 100, 900);
  await expect(reserve(user)).rejects.toMatchObject({
    code: 'too_many_replies',
    message: expect.stringContaining('tokens that are left'),
  });
  await book.usage.settle(user, key, used(100, 100));
  expect(await reserve(user)).toMatchObject({ replyTokens: 400 });
});

it('is removed by null and applies to its user only', async () => {
  const other = subscriber(1_000_000);
  await cap(1_000);
  for (const owner of [user, other]) await spend(owner, 1_000);
  expect(await reserve(other)).toMatchObject({ replyTokens: 400 });
  await expect(reserve(user)).rejects.toMatchObject(exhausted);
  expect(await cap(null)).toMatchObject({ tokensPerDay: null });
  expect(await book.models.caps.countDocuments({ _id: user })).toBe(0);
  expect(await reserve(user)).toMatchObject({ replyTokens: 400 });
});

it('applies to the first reservation of a usage period', async () => {
  await cap(1_000);
  expect(await reserve(user, first(), 1_000)).toEqual({ promptTokens: 744, replyTokens: 256 });
  expect((await book.audit(user)).stored.committed).toBe(1_000);
});

it('never lets parallel sends reserve more than the cap', async () => {
  await cap(2_000);
  await Promise.allSettled(Array.from({ length: 20 }, () => reserve(user, first(), 100, 900)));
  const { stored } = await book.audit(user);
  expect(stored.committed).toBeLessThanOrEqual(2_000);
  expect(stored.committed).toBeGreaterThan(2_000 - 116);
});

it('applies to background calls', async () => {
  await cap(1_000);
  await spend(user, 950);
  await expect(reserve(user, { ...first(), kind: 'memory' })).rejects.toMatchObject(exhausted);
});

it('starts again the next day (UTC)', async () => {
  await cap(1_000);
  await spend(user, 1_000);
  book.setTime('2026-03-10T23:59:59Z');
  await expect(reserve(user)).rejects.toMatchObject(exhausted);
  book.setTime('2026-03-11T00:00:00Z');
  expect(await reserve(user)).toMatchObject({ replyTokens: 400 });
});

it('charges a reply that runs over midnight to the day on which it was reserved', async () => {
  await cap(1_000);
  book.setTime('2026-03-10T23:59:00Z');
  const key = first();
  await reserve(user, key, 100, 850);
  book.setTime('2026-03-11T00:01:00Z');
  expect(await reserve(user)).toMatchObject({ replyTokens: 400 });
  await book.usage.settle(user, key, used(100, 50));
  const { stored, derived } = await book.audit(user);
  expect(stored).toEqual(derived);
  expect(stored.committedDays).toEqual({ '2026-03-10': 150, '2026-03-11': 500 });
});

it('charges an expired attempt to the day of its reservation', async () => {
  book.setTime('2026-03-10T23:58:00Z');
  const key = first();
  await reserve(user, key);
  book.later(6 * MINUTE);
  await book.sweep();
  await book.usage.settle(user, key, used(100, 50));
  expect((await book.audit(user)).stored.days).toEqual({ '2026-03-10': 150 });
});

it('counts the whole day on which a usage period begins', async () => {
  book.setTime('2026-03-31T09:00:00Z');
  user = subscriber(1_000_000);
  await cap(1_000);
  await spend(user, 700);
  book.setTime('2026-03-31T11:00:00Z');
  book.entitle(user, {
    kind: 'user',
    limits: { tokens: 1_000_000 },
    period: monthlyPeriod({ startedAt: STARTED_AT, now: book.now() }),
  });
  expect(await readUsage(book.usage, user)).toMatchObject({ used: 0, usedToday: 700 });
  expect(await reserve(user)).toEqual({ promptTokens: 44, replyTokens: 256 });
  await expect(reserve(user)).rejects.toMatchObject({ code: 'too_many_replies' });
  expect(await book.sumsOf(user)).toHaveLength(2);
  await spend(user, 300);
  await expect(reserve(user)).rejects.toMatchObject({
    ...exhausted,
    details: { used: 1_000, limit: 1_000, cap: true },
  });
});

it('counts the usage of the current usage period on that day once', async () => {
  book.setTime('2026-03-31T09:00:00Z');
  user = subscriber(1_000_000);
  await cap(1_000);
  await spend(user, 600);
  book.setTime('2026-03-31T11:00:00Z');
  book.entitle(user, {
    kind: 'user',
    limits: { tokens: 1_000_000 },
    period: monthlyPeriod({ startedAt: STARTED_AT, now: book.now() }),
  });
  await spend(user, 200);
  expect(await reserve(user)).toEqual({ promptTokens: 0, replyTokens: 256 });
});

it('counts only the day and the user on that day', async () => {
  book.setTime('2026-03-30T09:00:00Z');
  user = subscriber(1_000_000);
  await cap(1_000);
  await spend(user, 700);
  await spend(subscriber(1_000_000), 700);
  book.setTime('2026-03-31T11:00:00Z');
  book.entitle(user, {
    kind: 'user',
    limits: { tokens: 1_000_000 },
    period: monthlyPeriod({ startedAt: STARTED_AT, now: book.now() }),
  });
  expect(await reserve(user)).toMatchObject({ replyTokens: 400 });
});

it("is refused with the plan's message when the plan is also used up", async () => {
  const poor = subscriber(1_000);
  await cap(1_000, poor);
  await spend(poor, 1_000);
  await expect(reserve(poor)).rejects.toMatchObject({ details: { upgrade: true } });
});

it('is read ahead of a send', async () => {
  await cap(1_000);
  await spend(user, 1_000);
  const ahead = await book.usage.readAhead(ownPayer(user), { isGuest: false });
  const request = { ...first(), promptTokens: 100, replyTokens: 400 };
  await expect(book.usage.reserve(user, request, ahead)).rejects.toMatchObject(exhausted);
});

it('is erased with the user', async () => {
  await cap(1_000);
  const other = newObjectId();
  await cap(2_000, other);
  await removeAllOf(book.usage, user);
  expect((await readUsage(book.usage, user)).tokensPerDay).toBeNull();
  expect((await readUsage(book.usage, other)).tokensPerDay).toBe(2_000);
});
