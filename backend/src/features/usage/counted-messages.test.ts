import { beforeEach, expect, it } from 'vitest';
import { GUEST_MESSAGE_LIMIT } from '../../contract/limits.ts';
import { actsOf } from './test/acts.ts';
import { type Book, newObjectId, withBook } from './test/ledger-book.ts';

let book: Book;

const { demoOf } = actsOf(() => book);
let guest: string;
let replyId: string;

withBook((opened) => {
  book = opened;
});
beforeEach(() => {
  [guest, replyId] = [newObjectId(), newObjectId()];
});

const USED = { promptTokens: 100, completionTokens: 1 };
/** Writes of a settlement or release before the one of the ledger: the sums, and the budget of guests. */
const WRITES_BEFORE_LEDGER = 2;
const key = (attempt: number) => ({ replyId, attempt });
const reserve = (attempt: number, { isCounted = false, ownerId = guest, of = replyId } = {}) => {
  const request = { replyId: of, attempt, promptTokens: 100, replyTokens: 400 };
  return book.usage.reserve(ownerId, isCounted ? { ...request, isCounted } : request);
};
const counted = async () => {
  const { messagesLeft } = await demoOf(guest);
  return GUEST_MESSAGE_LIMIT - messagesLeft;
};

it('a later attempt counts no message while an earlier one that counts it is open', async () => {
  await reserve(1);
  await reserve(2);
  expect(await counted()).toBe(1);
});

it('a later attempt counts no message after a crash before the entry of one that counts it', async () => {
  await reserve(1);
  const settle = () => book.usage.settle(guest, key(1), USED);
  expect(await book.dieBefore(WRITES_BEFORE_LEDGER, settle)).toBe(true);
  await reserve(2);
  expect(await counted()).toBe(1);
});

it('a later attempt counts the message after a crash before the entry of one that was released', async () => {
  await reserve(1);
  const release = () => book.usage.release(guest, key(1));
  expect(await book.dieBefore(WRITES_BEFORE_LEDGER, release)).toBe(true);
  expect(await counted()).toBe(0);
  await reserve(2);
  expect(await counted()).toBe(1);
});

it('a later attempt counts the message when only other replies and users have counted one', async () => {
  await reserve(1, { of: newObjectId() });
  await reserve(1, { ownerId: newObjectId() });
  await reserve(2);
  expect(await counted()).toBe(2);
});

it.each(['open', 'charged'])(
  'a later attempt counts the message when an earlier one that counts none is %s',
  async (state) => {
    await reserve(2, { isCounted: true });
    if (state === 'charged') await book.usage.settle(guest, key(2), USED);
    expect(await counted()).toBe(0);
    await reserve(3);
    expect(await counted()).toBe(1);
  },
);
