import { beforeEach, describe, expect, it } from 'vitest';
import { ownPayer } from '../payer.ts';
import { removeAllOf } from './lines.ts';
import { openReservation } from './make-reservation.ts';
import { actsOf, first, MINUTE } from './test/acts.ts';
import { type Book, newObjectId, withBook } from './test/ledger-book.ts';

let book: Book;
let guest: string;

withBook((opened) => {
  book = opened;
});
beforeEach(() => {
  guest = newObjectId();
});

const { reserve, spend } = actsOf(() => book);

it('a reservation beyond the limits is added once for an attempt', async () => {
  const force = (attempt: number) => {
    const request = { replyId: guest, attempt, tokens: 0, replyTokens: 0 };
    const payer = ownPayer(guest);
    const stamp = { id: newObjectId(), messages: 0 as const, payer, at: book.now() };
    return book.store.force(
      { id: `${guest}:demo`, ownerId: guest },
      openReservation(request, stamp),
    );
  };
  expect([await force(1), await force(1), await force(2)]).toEqual([true, false, true]);
});

it('finds reservations by owner, reply, attempt and kind', async () => {
  const key = first();
  await reserve(guest, key);
  const found = async (ownerId: string, changes: object = {}) =>
    (await book.store.findWith(ownerId, { ...key, ...changes })).length;
  expect(await found(guest)).toBe(1);
  expect(await found(guest, { attempt: 2 })).toBe(0);
  expect(await found(guest, { kind: 'memory' })).toBe(0);
  expect(await found(guest, { replyId: newObjectId() })).toBe(0);
  expect(await found(newObjectId())).toBe(0);
});

describe('the sweep', () => {
  it('reads only reservations that were not touched for some minutes', async () => {
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

  it('expires once with many concurrent sweeps', async () => {
    await reserve(guest);
    book.later(6 * MINUTE);
    await Promise.all([book.sweep(), book.sweep(), book.sweep()]);
    const { stored, left } = await book.audit(guest);
    expect(stored).toMatchObject({ settled: 0, committed: 0, running: 0, messages: 0 });
    expect(left).toBe(0);
    expect(await book.entriesOf(guest)).toMatchObject([{ state: 'expired' }]);
  });
});

describe('erasing', () => {
  it("removes only the user's sums and entries", async () => {
    const other = newObjectId();
    for (const owner of [guest, other]) await spend(owner, 10);
    await removeAllOf(book.usage, guest);
    expect([await book.sumsOf(guest), await book.entriesOf(guest)]).toEqual([[], []]);
    expect([await book.sumsOf(other), await book.entriesOf(other)]).toMatchObject([[{}], [{}]]);
  });
});
