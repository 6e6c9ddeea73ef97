import { beforeEach, describe, expect, it, vi } from 'vitest';
import { GUEST_MESSAGE_LIMIT, GUEST_TOKEN_LIMIT } from '../../contract/limits.ts';
import { computeEntitlements } from '../billing/entitlements.ts';
import { monthlyPeriod } from '../billing/period.ts';
import { ownPayer } from '../payer.ts';
import { makeReservation } from './make-reservation.ts';
import { actsOf, first, MINUTE, used } from './test/acts.ts';
import { type Book, newObjectId, withBook } from './test/ledger-book.ts';

let book: Book;
let guest: string;

withBook((opened) => {
  book = opened;
});
beforeEach(() => {
  guest = newObjectId();
});

const { reserve, spend, subscriber, demoOf } = actsOf(() => book);
const allowance = () => demoOf(guest);
const refusals = (results: PromiseSettledResult<unknown>[]) =>
  results.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));

describe('reserving', () => {
  it('reserves the prompt and the maximum reply while the reply runs', async () => {
    expect(await reserve(guest)).toMatchObject({ replyTokens: 400 });
    expect((await book.audit(guest)).stored).toMatchObject({ committed: 500, settled: 0 });
    expect(await allowance()).toMatchObject({
      tokensLeft: GUEST_TOKEN_LIMIT,
      messagesLeft: GUEST_MESSAGE_LIMIT - 1,
    });
  });

  it('reserves once for the same attempt, also twenty times at once, and answers the same', async () => {
    const key = first();
    const answers = await Promise.all(Array.from({ length: 20 }, () => reserve(guest, key)));
    expect(answers).toEqual(
      Array.from({ length: 20 }, () => ({ promptTokens: 100, replyTokens: 400 })),
    );
    expect((await book.audit(guest)).stored).toMatchObject({ committed: 500, running: 1 });
  });

  it.each([
    ['all of a shorter reply', 450, { promptTokens: 100, replyTokens: 350 }],
    [
      'the shortest reply, and for its prompt the rest',
      300,
      { promptTokens: 44, replyTokens: 256 },
    ],
    ['the shortest reply, when only a token is left', 1, { promptTokens: 0, replyTokens: 256 }],
  ])('reserves the rest: %s', async (_what, left, reserved) => {
    await spend(guest, GUEST_TOKEN_LIMIT - left);
    expect(await reserve(guest)).toEqual(reserved);
    expect((await book.audit(guest)).stored.committed).toBe(GUEST_TOKEN_LIMIT);
  });

  it('refuses only when nothing is left, with used and limit', async () => {
    await spend(guest, GUEST_TOKEN_LIMIT);
    await expect(reserve(guest)).rejects.toMatchObject({
      code: 'quota_exceeded',
      details: {
        used: GUEST_TOKEN_LIMIT,
        limit: GUEST_TOKEN_LIMIT,
        resetsAt: null,
        messages: { used: 1, limit: GUEST_MESSAGE_LIMIT },
      },
    });
  });

  it('accepts a prompt that is larger than the whole quota, and no other beside it', async () => {
    expect(await reserve(guest, first(), GUEST_TOKEN_LIMIT)).toMatchObject({ replyTokens: 256 });
    await expect(reserve(guest)).rejects.toMatchObject({ code: 'too_many_replies' });
  });

  it('never reserves more than the limit by parallel sends, and all of it', async () => {
    const user = subscriber(2_500, { running: 100 });
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => reserve(user, first(), 100, 900)),
    );
    const { stored } = await book.audit(user);
    expect(stored).toMatchObject({ committed: 2_500, running: 3 });
    expect(new Set(refusals(results))).toEqual(new Set(['too_many_replies']));
  });

  it('distinguishes a quota that running replies reserve from one that is used up', async () => {
    const user = subscriber(1_000);
    await reserve(user, first(), 100, 900);
    await expect(reserve(user)).rejects.toMatchObject({
      code: 'too_many_replies',
      retryAfter: 5,
      message: expect.stringContaining('tokens that are left'),
    });
    await spend(user, 1_000);
    await expect(reserve(user)).rejects.toMatchObject({
      code: 'quota_exceeded',
      details: { resetsAt: expect.stringMatching(/Z$/) },
    });
  });

  it.each([
    ['guest', 3],
    ['user', 6],
  ] as const)('lets a %s run %i replies at once', async (kind, running) => {
    const owner = kind === 'guest' ? guest : subscriber(1_000_000);
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => reserve(owner)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(running);
    expect(new Set(refusals(results))).toEqual(new Set(['too_many_replies']));
    expect((await book.audit(owner)).stored).toMatchObject({ running, messages: running });
  });

  it('makes room for another reply when one has ended', async () => {
    const keys = [first(), first(), first()];
    for (const key of keys) await reserve(guest, key);
    await expect(reserve(guest)).rejects.toMatchObject({ status: 429, retryAfter: 5 });
    await book.usage.settle(guest, keys[0] ?? first(), used(100, 5));
    expect(await reserve(guest)).toMatchObject({ replyTokens: 400 });
  });

  it('counts messages once per reply, not per attempt', async () => {
    const replyId = newObjectId();
    await reserve(guest, { replyId, attempt: 1 });
    await book.usage.settle(guest, { replyId, attempt: 1 }, used(100, 1));
    await reserve(guest, { replyId, attempt: 2 });
    expect((await allowance()).messagesLeft).toBe(GUEST_MESSAGE_LIMIT - 1);
  });

  it('counts the message with the second attempt when the first was released', async () => {
    const replyId = newObjectId();
    const key = (attempt: number) => ({ replyId, attempt });
    await reserve(guest, key(1));
    await book.usage.release(guest, key(1));
    expect((await allowance()).messagesLeft).toBe(GUEST_MESSAGE_LIMIT);
    await reserve(guest, key(2));
    expect((await allowance()).messagesLeft).toBe(GUEST_MESSAGE_LIMIT - 1);
    await book.usage.settle(guest, key(2), used(100, 1));
    await reserve(guest, key(3));
    await book.usage.settle(guest, key(3), used(100, 1));
    expect((await allowance()).messagesLeft).toBe(GUEST_MESSAGE_LIMIT - 1);
    expect((await book.audit(guest)).stored.messages).toBe(1);
  });

  it('counts the message of a second attempt that is charged without a reservation', async () => {
    const replyId = newObjectId();
    await book.usage.settle(guest, { replyId, attempt: 2 }, used(100, 1));
    await book.usage.settle(guest, { replyId, attempt: 3 }, used(100, 1));
    expect((await allowance()).messagesLeft).toBe(GUEST_MESSAGE_LIMIT - 1);
  });

  it('counts no message for an attempt whose message was counted before', async () => {
    const key = { replyId: newObjectId(), attempt: 2 };
    const request = { ...key, promptTokens: 100, replyTokens: 400, isCounted: true };
    await book.usage.reserve(guest, request);
    book.later(6 * MINUTE);
    await book.sweep();
    // Its reservation has expired; its entry shows that it counts as none.
    await book.usage.settle(guest, key, used(100, 1));
    expect((await allowance()).messagesLeft).toBe(GUEST_MESSAGE_LIMIT);
  });

  it('refuses a guest the message beyond the limit, but not a later attempt', async () => {
    const { replyId } = first();
    await book.usage.settle(guest, { replyId, attempt: 1 }, used(10, 0));
    for (let n = 1; n < GUEST_MESSAGE_LIMIT; n += 1) await spend(guest, 10);
    await expect(reserve(guest)).rejects.toMatchObject({
      code: 'quota_exceeded',
      details: { messages: { used: GUEST_MESSAGE_LIMIT } },
    });
    expect(await reserve(guest, { replyId, attempt: 2 })).toMatchObject({ replyTokens: 400 });
  });

  it('takes the last message once by parallel sends', async () => {
    for (let n = 1; n < GUEST_MESSAGE_LIMIT; n += 1) await spend(guest, 10);
    const results = await Promise.allSettled([reserve(guest), reserve(guest), reserve(guest)]);
    expect(refusals(results)).toEqual(['quota_exceeded', 'quota_exceeded']);
  });

  it('needs a plan', async () => {
    book.entitle(guest, { mayChat: false });
    await expect(reserve(guest)).rejects.toMatchObject({ code: 'subscription_required' });
    expect(await book.sumsOf(guest)).toEqual([]);
  });

  it('starts again at zero in the next period', async () => {
    const user = subscriber(1_000);
    await spend(user, 1_000);
    await expect(reserve(user)).rejects.toMatchObject({ code: 'quota_exceeded' });
    const startedAt = new Date('2026-01-31T10:00:00Z');
    const next = new Date(book.now().getTime() + 32 * 24 * 60 * MINUTE);
    book.entitle(user, {
      kind: 'user',
      limits: { tokens: 1_000 },
      runningReplies: 6,
      period: monthlyPeriod({ startedAt, now: next }),
    });
    expect(await reserve(user)).toMatchObject({ replyTokens: 400 });
  });
});

it('ends with unavailable when the record changes during every update', async () => {
  const at = new Date('2026-01-31T10:00:00Z');
  const reserve = vi.fn<Book['store']['reserve']>(async () => false);
  const periods = { ...book.store, reserve, find: async () => null };
  const account = { subscriptionStatus: 'active', subscriptionPlan: 'pro' } as const;
  const reserved = makeReservation(
    { ...book.usage, periods },
    {
      payer: ownPayer(newObjectId()),
      request: { ...first(), promptTokens: 100, replyTokens: 400 },
      messages: 1,
      entitlements: { ...computeEntitlements({ account, subscription: null, now: at }), ...OPEN },
      at,
      cap: null,
      memberTokens: null,
    },
  );
  await expect(reserved).rejects.toMatchObject({ code: 'unavailable' });
  expect(reserve.mock.calls.length).toBe(10);
});

const OPEN = { limits: { tokens: 1_000 }, runningReplies: 6 };
