import { beforeEach, describe, expect, it } from 'vitest';
import { GUEST_TOKEN_LIMIT } from '../../contract/limits.ts';
import type { AttemptKey, TokenUsage } from './records.ts';
import { type Book, CrashError, newObjectId, withBook } from './test/ledger-book.ts';

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
/** Everything that is open expires, and what crashes left behind is completed. */
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

  it('of a settlement charges once when the sweep comes before the repetition', async () => {
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
        expect(await reserve(key)).toEqual({ replyTokens: 400 });
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
    expect(await reserve(key)).toEqual({ replyTokens: 400 });
    expect((await book.audit(guest)).stored).toMatchObject({ committed: 120, running: 0 });
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

/** Mulberry32: random numbers that a seed repeats. */
function createRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

const EXPECTED = new Set(['too_many_replies', 'quota_exceeded', 'unavailable']);

describe('random interleavings of reserve, settle, release and expire, with crashes', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'keep the sums equal to the entries (seed %i)',
    async (seed) => {
      const random = createRandom(seed);
      const keys = Array.from({ length: 4 }, first).flatMap((key) => [key, { ...key, attempt: 2 }]);
      const charged = new Map<AttemptKey, TokenUsage>();
      const usageOf = (key: AttemptKey) => {
        const usage = charged.get(key) ?? {
          promptTokens: random(300),
          completionTokens: random(300),
        };
        charged.set(key, usage);
        return usage;
      };
      const step = async () => {
        const key = keys[random(keys.length)] ?? first();
        const choice = random(5);
        if (choice < 2) await reserve(key);
        else if (choice === 2) await book.usage.settle(guest, key, usageOf(key));
        else if (choice === 3) await book.usage.release(guest, key);
        else await sweepAll();
      };
      for (let round = 0; round < 12; round += 1) {
        book.setCrashes(() => random(12) === 0);
        const results = await Promise.allSettled(Array.from({ length: 6 }, step));
        book.setCrashes(() => false);
        const refusals = results
          .flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
          .filter((reason) => !(reason instanceof CrashError))
          .map(({ code }) => code);
        expect(refusals.filter((code) => !EXPECTED.has(code))).toEqual([]);
        const { stored, derived } = await book.audit(guest);
        expect(stored).toEqual(derived);
        expect(stored.running).toBeLessThanOrEqual(3 + charged.size);
        expect(stored.committed - stored.settled).toBeLessThanOrEqual(GUEST_TOKEN_LIMIT);
      }
      // Settlements that crashed are repeated, as the chat's sweeper does.
      for (const [key, usage] of charged) await book.usage.settle(guest, key, usage);
      await sweepAll();
      const total = [...charged.values()].reduce(
        (sum, { promptTokens, completionTokens }) => sum + promptTokens + completionTokens,
        0,
      );
      await expectSums({ settled: total, committed: total, running: 0 });
    },
  );
});
