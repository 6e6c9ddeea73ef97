import { beforeEach, describe, expect, it } from 'vitest';
import { GUEST_MESSAGE_LIMIT, GUEST_TOKEN_LIMIT } from '../../contract/limits.ts';
import { ownPayer } from '../payer.ts';
import { openReservation } from './make-reservation.ts';
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

describe('settling', () => {
  it('replaces the reservation by the used tokens', async () => {
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

  it('charges each attempt separately and keeps the reservations of others', async () => {
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
    expect(await reserve(guest, key, 100, 900)).toMatchObject({ replyTokens: 400 });
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

  it('charges an attempt that was never reserved, with any remaining quota', async () => {
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
        { ...key, tokens: 16, replyTokens: 9 },
        { id: newObjectId(), messages: 1, payer: ownPayer(owner), at: book.now() },
      );
      await book.store.force({ id: `${owner}:demo`, ownerId: owner }, late);
      if (end === 'release') await book.usage.release(owner, key);
      await settle();
      const { stored, derived, left } = await book.audit(owner);
      expect([stored, left]).toEqual([derived, 0]);
      expect(stored).toMatchObject({ settled: 120, committed: 120, running: 0, messages: 1 });
    }
  });

  it('charges once when another settlement happens completely between its two reads', async () => {
    const key = first();
    await reserve(guest, key);
    const late = openReservation(
      { ...key, tokens: 16, replyTokens: 9 },
      { id: newObjectId(), messages: 1, payer: ownPayer(guest), at: book.now() },
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
  it('removes the reservation as if the message had never been sent', async () => {
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
