import { beforeEach, describe, expect, it } from 'vitest';
import { actsOf, first, used } from './test/acts.ts';
import { type Book, newObjectId, withBook } from './test/ledger-book.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

let book: Book;
let user: string;

withBook((opened) => {
  book = opened;
});

const { reserve, spend, subscriber } = actsOf(() => book);

beforeEach(async () => {
  book.later(DAY);
  user = subscriber(1_000_000);
});

/** Changes the sums directly, without a reservation. */
const spoil = async (update: object, ownerId = user) => {
  await book.models.usage.updateOne({ ownerId }, update);
};
/** Unused periods of new users. */
const insertPeriods = async (count: number): Promise<string[]> => {
  const owners = Array.from({ length: count }, newObjectId);
  const sums = { messages: 0, settledTokens: 0, committedTokens: 0, running: 0, version: 1 };
  await book.models.usage.insertMany(
    owners.map((ownerId) => ({
      _id: `${ownerId}:demo`,
      ownerId,
      ...sums,
      changedAt: book.now(),
    })),
  );
  return owners;
};
const last = async () => {
  const audit = await book.usage.audits.lastFinished();
  if (!audit) throw new Error('There is no audit.');
  return audit;
};
const expectRight = async (ownerId = user) => {
  const { stored, derived } = await book.audit(ownerId);
  expect(stored).toEqual(derived);
};
/** Sums with open reservations, a charge, a background call, a released attempt, and a charge that is not written yet. */
const use = async () => {
  await spend(user, 100);
  await book.usage.settle(user, { ...first(), kind: 'check' }, used(20, 5));
  await reserve(user);
  await reserve(user, { ...first(), kind: 'check' });
  const released = first();
  await reserve(user, released);
  await book.usage.release(user, released);
  const key = first();
  await reserve(user, key);
  await book.dieBefore(1, () => book.usage.settle(user, key, used(90, 30)));
};

describe('the audit', () => {
  it('changes nothing when the sums are right, and counts the compared ones', async () => {
    await book.runAudit();
    book.later(DAY);
    await use();
    const [before] = await book.sumsOf(user);
    await book.runAudit();
    expect(await book.sumsOf(user)).toEqual([before]);
    expect(await last()).toMatchObject({ compared: 1, repaired: 0, busy: 0, repairedTokens: 0 });
  });

  it.each([
    ['charged tokens', { $inc: { settledTokens: 7 } }, 7],
    ['tokens that were not charged', { $inc: { settledTokens: -7 } }, 7],
    ['reserved tokens', { $inc: { committedTokens: 500 } }, 0],
    ['running replies', { $inc: { running: 1 } }, 0],
    ['messages', { $inc: { messages: 1 } }, 0],
    ['tokens of a kind', { $inc: { 'kinds.check': 3 } }, 0],
    ['a kind', { $unset: { 'kinds.reply': 1 } }, 0],
    ['tokens of a day that does not exist', { $inc: { 'days.2020-01-01.committed': 3 } }, 0],
    ['charges of a day', { $inc: { 'days.2020-01-01.settled': 3 } }, 0],
    ['days', { $unset: { days: 1 } }, 0],
  ])('repairs %s', async (_what, spoiled, tokens) => {
    await use();
    await spoil(spoiled);
    const before = book.changed.length;
    await book.runAudit();
    await expectRight();
    expect(await last()).toMatchObject({ repaired: 1, repairedTokens: tokens });
    expect(book.changed.slice(before)).toEqual([user]);
  });

  it('counts a charge once that is written during the comparison', async () => {
    const key = first();
    await reserve(user, key);
    await book.dieBefore(1, () => book.usage.settle(user, key, used(90, 30)));
    await spoil({ $inc: { settledTokens: 7 } });
    const { sumsOf } = book.ledger;
    book.ledger.sumsOf = async (...args) => {
      book.ledger.sumsOf = sumsOf;
      await book.usage.settle(user, key, used(90, 30));
      return sumsOf(...args);
    };
    await book.runAudit();
    expect((await book.audit(user)).stored.settled).toBe(120);
  });

  it('counts a charge also while a late reservation of the same attempt is open', async () => {
    const key = first();
    book.afterNextRead(() => book.usage.settle(user, key, used(90, 30)));
    await reserve(user, key);
    expect((await book.audit(user)).stored).toMatchObject({ settled: 120, committed: 620 });
    await spoil({ $inc: { settledTokens: 7 } });
    await book.runAudit();
    expect((await book.audit(user)).stored).toMatchObject({ settled: 120, committed: 620 });
  });

  it('does not overwrite reservations that are made or closed during the comparison', async () => {
    await spend(user, 100);
    await spoil({ $inc: { settledTokens: 7 } });
    const key = first();
    const { sumsOf } = book.ledger;
    let rounds = 0;
    book.ledger.sumsOf = async (...args) => {
      const sums = await sumsOf(...args);
      if (!args[0].id.startsWith(user)) return sums;
      rounds += 1;
      if (rounds === 1) await reserve(user, key);
      if (rounds === 2) await book.usage.settle(user, key, used(90, 30));
      return sums;
    };
    await book.runAudit();
    book.ledger.sumsOf = sumsOf;
    expect(rounds).toBe(3);
    await expectRight();
    expect((await book.audit(user)).stored).toMatchObject({ settled: 220, committed: 220 });
  });

  it('leaves a period that changes during every comparison to the next night', async () => {
    await spend(user, 100);
    await spoil({ $inc: { settledTokens: 7 } });
    const { sumsOf } = book.ledger;
    book.ledger.sumsOf = async (...args) => {
      const sums = await sumsOf(...args);
      await spend(user, 1);
      return sums;
    };
    await book.runAudit();
    book.ledger.sumsOf = sumsOf;
    expect(await last()).toMatchObject({ repaired: 0, busy: 1 });
    book.later(DAY);
    await book.runAudit();
    await expectRight();
  });

  it('runs once a day, however many workers start it', async () => {
    await Promise.all([book.runAudit(), book.runAudit(), book.runAudit()]);
    const { finishedAt } = await last();
    await spend(user, 100);
    await spoil({ $inc: { settledTokens: 7 } });
    book.later(60_000);
    await book.runAudit();
    expect((await last()).finishedAt).toEqual(finishedAt);
    book.later(DAY);
    await book.runAudit();
    expect(await last()).toMatchObject({ repaired: 1 });
  });

  it('is taken over by another worker when the first was lost', async () => {
    await spend(user, 100);
    await spoil({ $inc: { settledTokens: 7 } });
    expect(await book.dieBefore(1, book.runAudit)).toBe(true);
    await book.runAudit();
    expect((await book.audit(user)).stored.settled).toBe(107);
    book.later(11 * 60_000);
    await book.runAudit();
    await expectRight();
    expect(await last()).toMatchObject({ repaired: 1 });
  });

  it('is not finished by a worker that has lost its lease', async () => {
    await spend(user, 100);
    const { sumsOf } = book.ledger;
    book.ledger.sumsOf = async (...args) => {
      book.ledger.sumsOf = sumsOf;
      book.later(11 * 60_000);
      await book.runAudit();
      return sumsOf(...args);
    };
    await book.runAudit();
    const { startedAt } = await last();
    expect(startedAt).toEqual(book.now());
  });

  it('compares only changes since the last one began', async () => {
    await spend(user, 100);
    book.later(2 * HOUR);
    await book.runAudit();
    book.later(DAY);
    await book.runAudit();
    expect(await last()).toMatchObject({ compared: 0 });
    await spend(user, 1);
    book.later(DAY);
    await book.runAudit();
    expect(await last()).toMatchObject({ compared: 1 });
  });

  it('compares documents that were only reserved or only closed since the last one began', async () => {
    const key = first();
    await reserve(user, key);
    book.later(2 * HOUR);
    await book.runAudit();
    expect(await last()).toMatchObject({ compared: 1 });
    book.later(DAY);
    await book.runAudit();
    expect(await last()).toMatchObject({ compared: 0 });
    await book.usage.settle(user, key, used(90, 30));
    book.later(DAY);
    await book.runAudit();
    expect(await last()).toMatchObject({ compared: 1 });
  });

  it('compares every period when there are more than a page', async () => {
    await book.runAudit();
    book.later(DAY);
    const owners = await insertPeriods(205);
    await spoil({ $inc: { settledTokens: 7 } }, owners.toSorted().at(-1));
    await book.runAudit();
    expect(await last()).toMatchObject({ compared: 205, repaired: 1 });
  });

  it('stops between pages when another worker has its lease', async () => {
    await book.runAudit();
    book.later(DAY);
    await insertPeriods(101);
    const { sumsOf } = book.ledger;
    let compared = 0;
    let isTaken = false;
    book.ledger.sumsOf = async (...args) => {
      compared += 1;
      if (!isTaken) {
        isTaken = true;
        book.later(11 * 60_000);
        await book.runAudit();
      }
      return sumsOf(...args);
    };
    await book.runAudit();
    book.ledger.sumsOf = sumsOf;
    expect(compared).toBe(201);
  });
});
