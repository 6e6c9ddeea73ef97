import { beforeEach, expect, it } from 'vitest';
import { readLines } from './lines.ts';
import { readUsage, setCap } from './overview.ts';
import { actsOf, first, MINUTE, used } from './test/acts.ts';
import { type Book, newObjectId, withBook } from './test/ledger-book.ts';

let book: Book;
let user: string;
let replyId: string;

withBook((opened) => {
  book = opened;
});

const { reserve, spend, subscriber, demoOf } = actsOf(() => book);

beforeEach(() => {
  user = subscriber(1_000_000);
  replyId = newObjectId();
});

const reply = () => ({ replyId, attempt: 1 });
const memory = () => ({ ...reply(), kind: 'memory' as const });
const search = () => ({ ...reply(), kind: 'search' as const });

it('the entry of a reply has its model and all token counts', async () => {
  await reserve(user, reply());
  await book.usage.settle(user, reply(), {
    promptTokens: 90,
    cachedTokens: 64,
    completionTokens: 30,
    reasoningTokens: 12,
    model: 'model-1',
  });
  expect(await book.entriesOf(user)).toMatchObject([
    {
      _id: `${replyId}:1`,
      replyId,
      attempt: 1,
      kind: 'reply',
      state: 'settled',
      model: 'model-1',
      promptTokens: 90,
      cachedTokens: 64,
      completionTokens: 30,
      reasoningTokens: 12,
      at: book.now(),
    },
  ]);
});

it('background calls are charged beside the attempt of the reply, each kind once', async () => {
  for (const key of [reply(), memory(), search()]) await reserve(user, key);
  const settleAll = () =>
    Promise.all([
      book.usage.settle(user, reply(), used(90, 30)),
      book.usage.settle(user, memory(), used(20, 5)),
      book.usage.settle(user, search(), used(7, 1)),
    ]);
  await Promise.all([settleAll(), settleAll()]);
  await settleAll();
  const { stored, derived, left } = await book.audit(user);
  expect([stored, left]).toEqual([derived, 0]);
  expect(stored).toMatchObject({
    settled: 153,
    committed: 153,
    messages: 1,
    kinds: { reply: 120, memory: 25, search: 8 },
  });
});

it('a background call is charged without a reservation, once', async () => {
  await book.usage.settle(user, reply(), used(90, 30));
  await book.usage.settle(user, memory(), used(20, 5));
  await book.usage.settle(user, memory(), used(20, 5));
  expect((await book.audit(user)).stored).toMatchObject({ settled: 145, messages: 1 });
});

it('the release of a background call keeps the reservation of the reply, and vice versa', async () => {
  for (const key of [reply(), memory()]) await reserve(user, key);
  await book.usage.release(user, memory());
  expect((await book.audit(user)).stored).toMatchObject({ committed: 500, running: 1 });
  await reserve(user, memory());
  await book.usage.release(user, reply());
  expect((await book.audit(user)).stored).toMatchObject({ committed: 500, running: 0 });
});

it('background calls count no message', async () => {
  const guest = newObjectId();
  await reserve(guest, memory());
  await book.usage.settle(guest, memory(), used(20, 5));
  await book.usage.settle(guest, search(), used(20, 5));
  expect((await demoOf(guest)).messagesLeft).toBe(20);
});

it('background calls are not running replies', async () => {
  const one = subscriber(1_000_000, { running: 1 });
  await reserve(one, memory());
  await reserve(one, reply());
  await reserve(one, search());
  expect((await book.audit(one)).stored.running).toBe(1);
  await expect(reserve(one, first())).rejects.toMatchObject({ code: 'too_many_replies' });
  await book.usage.settle(one, memory(), used(1, 1));
  await expect(reserve(one, first())).rejects.toMatchObject({ code: 'too_many_replies' });
  await book.usage.settle(one, reply(), used(1, 1));
  await reserve(one, first());
});

it('a background call is refused unless its maximum usage fits completely', async () => {
  const poor = subscriber(1_000);
  await spend(poor, 501);
  await expect(reserve(poor, memory())).rejects.toMatchObject({ code: 'quota_exceeded' });
  expect(await reserve(poor, memory(), 100, 399)).toEqual({ promptTokens: 100, replyTokens: 399 });
});

it('each run of a background call is reserved and charged, and a charged one is not made again', async () => {
  const run = (n: number) => ({ ...memory(), run: n });
  const poor = subscriber(1_700);
  await reserve(poor, run(1));
  await reserve(poor, run(1));
  expect((await book.audit(poor)).stored.committed).toBe(500);
  await book.usage.settle(poor, run(1), used(500, 200));
  await expect(reserve(poor, run(1))).rejects.toMatchObject({ code: 'unavailable' });
  await reserve(poor, run(2));
  await book.usage.release(poor, run(2));
  await reserve(poor, run(3));
  await book.usage.settle(poor, run(3), used(500, 200));
  await book.usage.settle(poor, run(3), used(500, 200));
  const { stored, derived, left } = await book.audit(poor);
  expect([stored, left]).toEqual([derived, 0]);
  expect(stored.settled).toBe(1_400);
  await expect(reserve(poor, run(4))).rejects.toMatchObject({ code: 'quota_exceeded' });
  book.entitle(poor, { mayChat: false });
  await expect(reserve(poor, run(5))).rejects.toMatchObject({ code: 'subscription_required' });
});

it('cached tokens count a tenth, rounded, in plan, cap, day, kind and ledger', async () => {
  await setCap(book.usage, user, 10_000);
  for (const cachedTokens of [9_000, 4, 5])
    await book.usage.settle(user, first(), { ...used(9_100, 40), cachedTokens });
  const charged = 140 + 900 + 9_140 - 4 + 9_140 - 4;
  const { stored, derived } = await book.audit(user);
  expect(stored).toEqual(derived);
  expect(stored).toMatchObject({ settled: charged, kinds: { reply: charged } });
  expect((await readUsage(book.usage, user)).usedToday).toBe(charged);
  await book.runAudit();
  expect((await book.usage.audits.lastFinished())?.repaired).toBe(0);
  const lines = [];
  for await (const { tokens, promptTokens } of readLines(book.usage, user))
    lines.push([promptTokens, tokens]);
  expect(lines).toHaveLength(3);
  expect(lines).toEqual(
    expect.arrayContaining([
      [9_100, 1_040],
      [9_100, 9_136],
    ]),
  );
});

it('a background call without tokens is refused for that reason, also while the maximum number of replies runs', async () => {
  const poor = subscriber(1_000, { running: 1 });
  await spend(poor, 490);
  await reserve(poor, reply());
  await expect(reserve(poor, memory())).rejects.toMatchObject({
    code: 'too_many_replies',
    message: expect.stringContaining('tokens that are left'),
  });
});

it('a background call whose process was lost expires', async () => {
  await reserve(user, memory());
  book.later(6 * MINUTE);
  await book.sweep();
  const { stored, left } = await book.audit(user);
  expect([stored.committed, left]).toEqual([0, 0]);
  expect(await book.entriesOf(user)).toMatchObject([{ kind: 'memory', state: 'expired' }]);
});
