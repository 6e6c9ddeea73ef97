import { beforeEach, expect, it, vi } from 'vitest';
import type { Connection } from '../../db/mongo.ts';
import { createGuestBudget, type defineBudgetModel } from './budget-model.ts';
import { type Book, newObjectId, withBook } from './test/ledger-book.ts';

const HOUR = 60 * 60_000;

let connection: Connection;
let book: Book;

withBook(
  (opened, connected) => {
    [book, connection] = [opened, connected];
  },
  { tokensPerHour: 1_000 },
);
beforeEach(() => book.later(HOUR));

const first = (replyId = newObjectId()) => ({ replyId, attempt: 1 });
const reserve = (ownerId = newObjectId(), key = first()) =>
  book.usage.reserve(ownerId, { ...key, promptTokens: 100, replyTokens: 300 });
const thisHour = async () => (await book.budgetTokens()).at(-1);

it('limits the reservations of all guests together, even concurrent ones', async () => {
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => reserve()));
  const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toHaveLength(5);
  for (const error of refused)
    expect(error).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('all guests together'),
      retryAfter: expect.any(Number),
    });
  // The last call is accepted while 200 tokens are left.
  expect(await thisHour()).toBe(1_200);
});

it('gets back the unused tokens of a settled reply, and all of a released or expired one', async () => {
  const [guest, other] = [newObjectId(), newObjectId()];
  const [key, released] = [first(), first()];
  await reserve(guest, key);
  await book.usage.settle(guest, key, { promptTokens: 100, completionTokens: 20 });
  await book.usage.settle(guest, key, { promptTokens: 100, completionTokens: 20 });
  expect(await thisHour()).toBe(120);
  await reserve(other, released);
  await book.usage.release(other, released);
  expect(await thisHour()).toBe(120);
  await reserve(other, first());
  book.later(6 * 60_000);
  await book.sweep();
  expect(await thisHour()).toBe(120);
});

it('is overspent by one reply at most', async () => {
  const request = { ...first(), promptTokens: 100, replyTokens: 1_000 };
  await book.usage.reserve(newObjectId(), request);
  await expect(reserve()).rejects.toMatchObject({ code: 'quota_exceeded' });
  expect(await thisHour()).toBe(1_100);
});

it('is taken once for an attempt that is reserved twice', async () => {
  const [guest, key] = [newObjectId(), first()];
  await reserve(guest, key);
  await reserve(guest, key);
  expect(await thisHour()).toBe(400);
});

it('gets back the tokens of a refused guest', async () => {
  const guest = newObjectId();
  await book.usage.settle(guest, first(), { promptTokens: 100_000, completionTokens: 0 });
  await expect(reserve(guest)).rejects.toMatchObject({ code: 'quota_exceeded' });
  expect(await thisHour()).toBe(0);
});

it('starts again in the next hour', async () => {
  await Promise.all([reserve(), reserve(), reserve()]);
  await expect(reserve()).rejects.toMatchObject({ code: 'quota_exceeded' });
  book.later(HOUR);
  expect(await reserve()).toMatchObject({ replyTokens: 300 });
});

it('does not limit users', async () => {
  await Promise.all([reserve(), reserve(), reserve()]);
  const user = newObjectId();
  book.entitle(user, { kind: 'user', limits: { tokens: 5_000 } });
  expect(await reserve(user)).toMatchObject({ replyTokens: 300 });
});

/** The beginning of an hour that no other test uses; documents of past hours expire meanwhile. */
const laterHour = (n: number) => new Date((Math.floor(Date.now() / HOUR) + n) * HOUR);

it('has up to 32 parts, and refuses a guest only when none of them has tokens left', async () => {
  const model = connection.models.GuestBudget as ReturnType<typeof defineBudgetModel>;
  const budget = createGuestBudget(model, { tokensPerHour: 3_200_000 });
  const [guest, now] = [newObjectId(), laterHour(1)];
  const names = new Set<string>();
  const take = async () => {
    const taken = await budget.take(guest, 100_000, now);
    if ('hour' in taken) names.add(taken.hour);
    return taken;
  };
  for (let n = 0; n < 32; n += 1) await take();
  expect(names.size).toBe(32);
  expect(await take()).toEqual({ secondsLeft: 3_600 });
  const [, given = ''] = names;
  await budget.giveBack(given, 1);
  expect(await take()).toEqual({ hour: given });
});

it('of different guests is taken from different parts', async () => {
  const model = connection.models.GuestBudget as ReturnType<typeof defineBudgetModel>;
  const budget = createGuestBudget(model, { tokensPerHour: 3_200_000 });
  const guests = Array.from({ length: 100 }, () => newObjectId());
  const taken = await Promise.all(guests.map((guest) => budget.take(guest, 1, laterHour(2))));
  const names = new Set(taken.map((one) => ('hour' in one ? one.hour : '')));
  expect(names.size).toBeGreaterThan(16);
});

it('is taken by the call that loses the race to create the hour', async () => {
  const model = connection.models.GuestBudget;
  if (!model) throw new Error('There is no such model.');
  const lost = Object.assign(new Error('E11000'), { code: 11_000 });
  vi.spyOn(model, 'updateOne').mockRejectedValueOnce(lost);
  expect(await reserve()).toMatchObject({ replyTokens: 300 });
  expect(await thisHour()).toBe(400);
});

it('keeps the tokens of a reservation whose answer is lost', async () => {
  const [guest, key] = [newObjectId(), first()];
  const model = connection.models.UsagePeriod;
  if (!model) throw new Error('There is no such model.');
  const update = model.updateOne.bind(model);
  const loseAnswer = async (...args: Parameters<typeof update>) => {
    await update(...args);
    throw new Error('The database does not answer.');
  };
  vi.spyOn(model, 'updateOne').mockImplementationOnce(loseAnswer as never);
  await expect(reserve(guest, key)).rejects.toThrow('does not answer');
  expect(await thisHour()).toBe(400);
  // The repeated send finds the reservation.
  await reserve(guest, key);
  await book.usage.settle(guest, key, { promptTokens: 100, completionTokens: 20 });
  expect(await thisHour()).toBe(120);
});
