import { beforeEach, describe, expect, it } from 'vitest';
import { GUEST_MESSAGE_LIMIT, GUEST_TOKEN_LIMIT } from '../../contract/limits.ts';
import { monthlyPeriod } from '../billing/period.ts';
import { openReservation } from './reserving.ts';
import { type Book, newObjectId, withBook } from './test/ledger-book.ts';

const MINUTE = 60_000;

let book: Book;
let guest: string;

withBook((opened) => {
  book = opened;
});
beforeEach(() => {
  guest = newObjectId();
});

const first = (replyId = newObjectId()) => ({ replyId, attempt: 1 });
const reserve = (ownerId: string, key = first(), promptTokens = 100, replyTokens = 400) =>
  book.usage.reserve(ownerId, { ...key, promptTokens, replyTokens });
const used = (promptTokens: number, completionTokens: number) => ({
  promptTokens,
  completionTokens,
});
const allowance = () => book.usage.allowanceOf(guest);
const refusals = (results: PromiseSettledResult<unknown>[]) =>
  results.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
/** Charges tokens by one reply that has ended. */
const spend = async (ownerId: string, tokens: number) => {
  const key = first();
  await book.usage.settle(ownerId, key, used(tokens, 0));
};
/** A subscriber with the given limit per month. */
const subscriber = (tokens: number, running = 6) => {
  const ownerId = newObjectId();
  book.entitle(ownerId, {
    kind: 'user',
    limits: { tokens },
    runningReplies: running,
    period: monthlyPeriod({ startedAt: new Date('2026-01-31T10:00:00Z'), now: book.now() }),
  });
  return ownerId;
};

describe('reserving', () => {
  it('reserves the prompt and the longest reply while the reply runs', async () => {
    expect(await reserve(guest)).toEqual({ replyTokens: 400 });
    expect(await allowance()).toMatchObject({
      tokensLeft: GUEST_TOKEN_LIMIT - 500,
      messagesLeft: GUEST_MESSAGE_LIMIT - 1,
    });
  });

  it('reserves once for the same attempt, also twenty times at once, and answers the same', async () => {
    const key = first();
    const answers = await Promise.all(Array.from({ length: 20 }, () => reserve(guest, key)));
    expect(answers).toEqual(Array.from({ length: 20 }, () => ({ replyTokens: 400 })));
    expect((await book.audit(guest)).stored).toMatchObject({ committed: 500, running: 1 });
  });

  it('caps the reply at what is left', async () => {
    await spend(guest, GUEST_TOKEN_LIMIT - 300);
    expect(await reserve(guest)).toEqual({ replyTokens: 200 });
  });

  it('refuses when less than a useful reply is left, with used and limit', async () => {
    await spend(guest, GUEST_TOKEN_LIMIT - 115);
    await expect(reserve(guest)).rejects.toMatchObject({
      code: 'quota_exceeded',
      details: {
        used: { tokens: GUEST_TOKEN_LIMIT - 115, messages: 1 },
        limit: { tokens: GUEST_TOKEN_LIMIT, messages: GUEST_MESSAGE_LIMIT },
      },
    });
    expect(await reserve(guest, first(), 99)).toEqual({ replyTokens: 16 });
  });

  it('refuses a prompt that is larger than the whole quota', async () => {
    await expect(reserve(guest, first(), GUEST_TOKEN_LIMIT)).rejects.toMatchObject({
      code: 'quota_exceeded',
    });
    expect(await book.sumsOf(guest)).toEqual([]);
  });

  it('never reserves more than the limit by parallel sends', async () => {
    const user = subscriber(2_000, 100);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => reserve(user, first(), 100, 900)),
    );
    const { stored } = await book.audit(user);
    expect(stored.committed).toBeLessThanOrEqual(2_000);
    expect(stored.committed).toBeGreaterThan(2_000 - 116);
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
    await spend(user, 900);
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
    expect(await reserve(guest)).toEqual({ replyTokens: 400 });
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
    // Its reservation has expired; the entry tells that it counts none.
    await book.usage.settle(guest, key, used(100, 1));
    expect((await allowance()).messagesLeft).toBe(GUEST_MESSAGE_LIMIT);
  });

  it('refuses a guest the message beyond the limit, but not a later attempt', async () => {
    const { replyId } = first();
    await book.usage.settle(guest, { replyId, attempt: 1 }, used(10, 0));
    for (let n = 1; n < GUEST_MESSAGE_LIMIT; n += 1) await spend(guest, 10);
    await expect(reserve(guest)).rejects.toMatchObject({
      code: 'quota_exceeded',
      details: { used: { messages: GUEST_MESSAGE_LIMIT } },
    });
    expect(await reserve(guest, { replyId, attempt: 2 })).toEqual({
      replyTokens: 400,
    });
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
    expect(await reserve(user)).toEqual({ replyTokens: 400 });
  });
});

describe('settling', () => {
  it('replaces the reservation by what was used', async () => {
    const key = first();
    await reserve(guest, key);
    await book.usage.settle(guest, key, used(90, 30));
    expect((await allowance()).tokensLeft).toBe(GUEST_TOKEN_LIMIT - 120);
    expect(await book.entriesOf(guest)).toMatchObject([
      {
        _id: `${key.replyId}:1`,
        kind: 'reply',
        state: 'settled',
        promptTokens: 90,
        completionTokens: 30,
        messages: 1,
      },
    ]);
    expect((await book.audit(guest)).left).toBe(0);
  });

  it('charges the prompt of a reply that was stopped before its first token', async () => {
    const key = first();
    await reserve(guest, key);
    await book.usage.settle(guest, key, used(100, 0));
    expect((await allowance()).tokensLeft).toBe(GUEST_TOKEN_LIMIT - 100);
  });

  it('charges once, twenty times at once and again later', async () => {
    const key = first();
    await reserve(guest, key);
    const settle = () => book.usage.settle(guest, key, used(90, 30));
    await Promise.all(Array.from({ length: 20 }, settle));
    await settle();
    expect((await book.audit(guest)).stored).toMatchObject({ settled: 120, committed: 120 });
  });

  it('charges each attempt for itself and leaves the reservations of others alone', async () => {
    const replyId = newObjectId();
    const other = first();
    await reserve(guest, { replyId, attempt: 1 });
    await reserve(guest, { replyId, attempt: 2 }, 100, 200);
    await reserve(guest, other, 10, 20);
    await book.usage.settle(guest, { replyId, attempt: 2 }, used(50, 5));
    const { stored } = await book.audit(guest);
    expect(stored).toMatchObject({ settled: 55, committed: 55 + 500 + 30, running: 2 });
    await book.usage.settle(guest, { replyId, attempt: 1 }, used(1, 2));
    expect((await book.audit(guest)).stored).toMatchObject({ settled: 58, committed: 58 + 30 });
  });

  it('does not reserve again for an attempt that is settled', async () => {
    const key = first();
    await reserve(guest, key);
    await book.usage.settle(guest, key, used(90, 30));
    expect(await reserve(guest, key, 100, 900)).toEqual({ replyTokens: 400 });
    expect((await book.audit(guest)).stored).toMatchObject({ committed: 120, running: 0 });
  });

  it('charges an attempt whose reservation has expired, once', async () => {
    const key = first();
    await reserve(guest, key);
    book.later(6 * MINUTE);
    await book.sweep();
    expect(await allowance()).toMatchObject({
      tokensLeft: GUEST_TOKEN_LIMIT,
      messagesLeft: GUEST_MESSAGE_LIMIT,
    });
    const settle = () => book.usage.settle(guest, key, used(90, 30));
    await Promise.all([settle(), settle(), settle()]);
    await settle();
    expect(await allowance()).toMatchObject({
      tokensLeft: GUEST_TOKEN_LIMIT - 120,
      messagesLeft: GUEST_MESSAGE_LIMIT - 1,
    });
    expect((await book.audit(guest)).left).toBe(0);
  });

  it('charges an attempt that was never reserved, whatever is left', async () => {
    await spend(guest, GUEST_TOKEN_LIMIT);
    await book.usage.settle(guest, first(), used(1_000, 1_000));
    const { stored, derived } = await book.audit(guest);
    expect(stored).toEqual(derived);
    expect(stored.settled).toBe(GUEST_TOKEN_LIMIT + 2_000);
    expect((await allowance()).tokensLeft).toBe(0);
  });

  it('stays final when a send that lost a race reserves the attempt again', async () => {
    for (const end of ['release', 'settle'] as const) {
      const owner = newObjectId();
      const key = first();
      const settle = () => book.usage.settle(owner, key, used(90, 30));
      await reserve(owner, key);
      await settle();
      // The send has read the ledger before the settlement, and reserves after it.
      const late = openReservation(
        { ...key, promptTokens: 7, replyTokens: 9 },
        { id: newObjectId(), messages: 1, at: book.now() },
      );
      await book.store.force({ id: `${owner}:demo`, ownerId: owner }, late);
      if (end === 'release') await book.usage.release(owner, key);
      await settle();
      const { stored, derived, left } = await book.audit(owner);
      expect([stored, left]).toEqual([derived, 0]);
      expect(stored).toMatchObject({ settled: 120, committed: 120, running: 0, messages: 1 });
    }
  });

  it('charges once when all of another settlement happens between its two reads', async () => {
    const key = first();
    await reserve(guest, key);
    const late = openReservation(
      { ...key, promptTokens: 7, replyTokens: 9 },
      { id: newObjectId(), messages: 1, at: book.now() },
    );
    book.afterNextRead(async () => {
      await book.usage.settle(guest, key, used(90, 30));
      await book.store.force({ id: `${guest}:demo`, ownerId: guest }, late);
    });
    await book.usage.settle(guest, key, used(90, 30));
    expect((await book.audit(guest)).stored.settled).toBe(120);
  });

  it('charges an attempt whose reservation is released between its two reads', async () => {
    const key = first();
    await reserve(guest, key);
    book.afterNextRead(() => book.usage.release(guest, key));
    await book.usage.settle(guest, key, used(90, 30));
    expect((await book.audit(guest)).stored).toMatchObject({ settled: 120, committed: 120 });
  });

  it('charges an expired attempt in the period of its reservation', async () => {
    const user = subscriber(1_000);
    const key = first();
    await reserve(user, key);
    book.later(6 * MINUTE);
    await book.sweep();
    book.entitle(user, { period: { id: 'another', startsAt: null, endsAt: null } });
    await book.usage.settle(user, key, used(90, 30));
    expect(await book.sumsOf(user)).toMatchObject([{ settledTokens: 120, running: 0 }]);
  });

  it('charges in the period of the reservation', async () => {
    const user = subscriber(1_000);
    const key = first();
    await reserve(user, key);
    book.entitle(user, { period: { id: 'another', startsAt: null, endsAt: null } });
    await book.usage.settle(user, key, used(90, 30));
    expect(await book.sumsOf(user)).toMatchObject([{ settledTokens: 120, running: 0 }]);
  });

  it('stores nothing of an account that is gone', async () => {
    book.entitle(guest, { kind: 'none' });
    await book.usage.settle(guest, first(), used(90, 30));
    expect([await book.sumsOf(guest), await book.entriesOf(guest)]).toEqual([[], []]);
  });
});

describe('releasing', () => {
  it('takes the reservation back as if the message had never been sent', async () => {
    const key = first();
    await reserve(guest, key);
    await book.usage.release(guest, key);
    await book.usage.release(guest, key);
    expect(await allowance()).toMatchObject({
      tokensLeft: GUEST_TOKEN_LIMIT,
      messagesLeft: GUEST_MESSAGE_LIMIT,
    });
    expect((await book.audit(guest)).stored).toMatchObject({ running: 0 });
  });

  it('lets the same attempt be reserved again', async () => {
    const key = first();
    await reserve(guest, key);
    await book.usage.release(guest, key);
    await reserve(guest, key, 200, 300);
    await book.usage.settle(guest, key, used(1, 1));
    expect((await book.audit(guest)).stored).toMatchObject({ committed: 2, messages: 1 });
  });

  it('changes nothing of a settled attempt or of another user', async () => {
    const [key, other] = [first(), first()];
    await reserve(guest, key);
    await reserve(guest, other);
    await book.usage.settle(guest, key, used(90, 30));
    await book.usage.release(guest, key);
    await book.usage.release(newObjectId(), other);
    expect((await book.audit(guest)).stored).toMatchObject({ settled: 120, committed: 620 });
  });
});

it('a reservation beyond the limits is added once for an attempt', async () => {
  const force = (attempt: number) => {
    const request = { replyId: guest, attempt, promptTokens: 0, replyTokens: 0 };
    const stamp = { id: newObjectId(), messages: 0 as const, at: book.now() };
    return book.store.force(
      { id: `${guest}:demo`, ownerId: guest },
      openReservation(request, stamp),
    );
  };
  expect([await force(1), await force(1), await force(2)]).toEqual([true, false, true]);
});

it('reservations are looked for by owner, reply and attempt', async () => {
  const key = first();
  await reserve(guest, key);
  const found = async (ownerId: string, changes: object = {}) =>
    (await book.store.findWith(ownerId, { ...key, ...changes })).length;
  expect(await found(guest)).toBe(1);
  expect(await found(guest, { attempt: 2 })).toBe(0);
  expect(await found(guest, { replyId: newObjectId() })).toBe(0);
  expect(await found(newObjectId())).toBe(0);
});

describe('the sweep', () => {
  it('reads only what nothing has touched for some minutes', async () => {
    await reserve(guest);
    const ids = async (before: Date) =>
      (await book.store.findStale({ before, limit: 100 })).map(({ ownerId }) => ownerId);
    expect(await ids(book.now())).not.toContain(guest);
    expect(await ids(new Date(book.now().getTime() + 1))).toContain(guest);
  });

  it('keeps reservations of active replies and of the last minutes', async () => {
    const [running, fresh] = [first(), first()];
    await reserve(guest, running);
    book.active.add(running.replyId);
    book.later(6 * MINUTE);
    await reserve(guest, fresh);
    await book.sweep();
    expect((await book.audit(guest)).stored.running).toBe(2);
    book.active.delete(running.replyId);
    book.later(6 * MINUTE);
    book.active.add(fresh.replyId);
    await book.sweep();
    expect((await book.audit(guest)).stored).toMatchObject({ running: 1, committed: 500 });
  });

  it('looks again at an active reply only after some minutes', async () => {
    const [older, newer] = [first(), first()];
    for (const { replyId } of [older, newer]) book.active.add(replyId);
    await reserve(guest, older);
    book.later(4 * MINUTE);
    await reserve(guest, newer);
    book.later(2 * MINUTE);
    await book.sweep();
    const at6 = book.now();
    book.later(4 * MINUTE);
    await book.sweep();
    const [sums] = await book.sumsOf(guest);
    expect(sums?.reservations?.map(({ touchedAt }) => touchedAt)).toEqual([at6, book.now()]);
  });

  it('expires once when many sweep at once', async () => {
    await reserve(guest);
    book.later(6 * MINUTE);
    await Promise.all([book.sweep(), book.sweep(), book.sweep()]);
    const { stored, left } = await book.audit(guest);
    expect([stored, left]).toEqual([{ settled: 0, committed: 0, running: 0, messages: 0 }, 0]);
    expect(await book.entriesOf(guest)).toMatchObject([{ state: 'expired' }]);
  });
});

describe('erasing', () => {
  it("removes only the user's sums and entries", async () => {
    const other = newObjectId();
    for (const owner of [guest, other]) await spend(owner, 10);
    await book.usage.removeAllOf(guest);
    expect([await book.sumsOf(guest), await book.entriesOf(guest)]).toEqual([[], []]);
    expect([await book.sumsOf(other), await book.entriesOf(other)]).toMatchObject([[{}], [{}]]);
  });
});
