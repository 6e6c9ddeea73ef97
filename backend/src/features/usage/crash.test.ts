import { beforeEach, describe, expect, it } from 'vitest';
import type { AttemptKey } from './records.ts';
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

const USED = { promptTokens: 90, completionTokens: 30 };
const first = () => ({ replyId: newObjectId(), attempt: 1 });
const reserve = (key: AttemptKey) =>
  book.usage.reserve(guest, { ...key, promptTokens: 100, replyTokens: 400 });
const settle = (key: AttemptKey) => book.usage.settle(guest, key, USED);
/** All open reservations expire, and the remains of crashes are completed. */
const sweepAll = async () => {
  book.later(6 * MINUTE);
  await book.sweep();
};
const expectSums = async (sums: object) => {
  const { stored, derived, left } = await book.audit(guest);
  expect(stored).toEqual(derived);
  expect({ ...stored, left }).toMatchObject({ ...sums, left: 0 });
};
/** Runs `task` with a crash before its first write, then before its second, and so on, until it succeeds. */
async function eachCut(
  task: () => Promise<unknown>,
  { before, after }: { before?: () => Promise<unknown>; after: () => Promise<unknown> },
): Promise<number> {
  for (let cut = 0; ; cut += 1) {
    guest = newObjectId();
    await before?.();
    const crashed = await book.dieBefore(cut, task);
    await after();
    if (!crashed) return cut;
  }
}

describe('a crash between two writes', () => {
  it('of a reservation leaks nothing', async () => {
    const cuts = await eachCut(() => reserve(first()), {
      after: async () => {
        await sweepAll();
        await expectSums({ settled: 0, committed: 0, running: 0, messages: 0 });
      },
    });
    expect(cuts).toBeGreaterThanOrEqual(2);
  });

  it('of a settlement charges once when it is repeated', async () => {
    let key = first();
    const cuts = await eachCut(() => settle(key), {
      before: () => {
        key = first();
        return reserve(key);
      },
      after: async () => {
        await Promise.all([settle(key), settle(key)]);
        await expectSums({ settled: 120, committed: 120, running: 0, messages: 1 });
      },
    });
    expect(cuts).toBe(4);
  });

  it('of a settlement charges once when the sweep runs before the repetition', async () => {
    let key = first();
    const cuts = await eachCut(() => settle(key), {
      before: () => {
        key = first();
        return reserve(key);
      },
      after: async () => {
        await sweepAll();
        await settle(key);
        await sweepAll();
        await expectSums({ settled: 120, committed: 120, running: 0, messages: 1 });
      },
    });
    expect(cuts).toBe(4);
  });

  it('of a late settlement charges once when it is repeated', async () => {
    let key = first();
    const cuts = await eachCut(() => settle(key), {
      before: async () => {
        key = first();
        await reserve(key);
        await sweepAll();
      },
      after: async () => {
        await settle(key);
        await sweepAll();
        await expectSums({ settled: 120, committed: 120, running: 0, messages: 1 });
      },
    });
    expect(cuts).toBe(4);
  });

  it('of a release lets the same attempt be reserved and charged', async () => {
    let key = first();
    const cuts = await eachCut(() => book.usage.release(guest, key), {
      before: () => {
        key = first();
        return reserve(key);
      },
      after: async () => {
        expect(await reserve(key)).toMatchObject({ replyTokens: 400 });
        await settle(key);
        await expectSums({ settled: 120, committed: 120, running: 0, messages: 1 });
      },
    });
    expect(cuts).toBe(4);
  });

  it('of a settlement before its entry lets nothing be reserved again', async () => {
    const key = first();
    await reserve(key);
    expect(await book.dieBefore(2, () => settle(key))).toBe(true);
    expect(await book.entriesOf(guest)).toEqual([]);
    expect(await reserve(key)).toMatchObject({ replyTokens: 400 });
    expect((await book.audit(guest)).stored).toMatchObject({ committed: 120, running: 0 });
  });

  it('of the settlements of a reply and its background calls charges each once', async () => {
    let key = first();
    const settleAll = async () => {
      await settle(key);
      for (const kind of ['memory', 'search'] as const) await settle({ ...key, kind });
    };
    const cuts = await eachCut(settleAll, {
      before: async () => {
        key = first();
        await reserve(key);
        await reserve({ ...key, kind: 'memory' });
      },
      after: async () => {
        await sweepAll();
        await settleAll();
        await sweepAll();
        await expectSums({
          settled: 360,
          committed: 360,
          running: 0,
          messages: 1,
          kinds: { reply: 120, memory: 120, search: 120 },
        });
      },
    });
    expect(cuts).toBe(12);
  });

  it('of a sweep is completed by the next', async () => {
    const cuts = await eachCut(sweepAll, {
      before: () => reserve(first()),
      after: async () => {
        await sweepAll();
        await expectSums({ settled: 0, committed: 0, running: 0, messages: 0 });
      },
    });
    expect(cuts).toBeGreaterThanOrEqual(2);
  });
});
