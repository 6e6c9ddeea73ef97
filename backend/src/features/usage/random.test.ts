import { describe, expect, it, vi } from 'vitest';
import { USAGE_KINDS } from '../../contract/usage.ts';
import { monthlyPeriod } from '../billing/period.ts';
import { entryId } from './ledger-model.ts';
import { MIN_REPLY_TOKENS } from './make-reservation.ts';
import { setCap } from './overview.ts';
import { type AttemptKey, type TokenUsage, tokensOf, withDiscount } from './records.ts';
import { actsOf, first, MINUTE, STARTED_AT } from './test/acts.ts';
import { type Book, CrashError, newObjectId, withBook } from './test/ledger-book.ts';

const HOUR = 60 * MINUTE;
const LIMITS = [3_000, 20_000];
const LARGEST_LIMIT = Math.max(...LIMITS);

let book: Book;

withBook((opened) => {
  book = opened;
});

const { reserve, subscriber } = actsOf(() => book);

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

/** Some writes of an entry lose to another one that inserts it, with the database's error: once, because the entry then exists. */
function loseRaces(random: Random): void {
  const { ledger } = book.models;
  vi.restoreAllMocks();
  const updateOne = ledger.updateOne.bind(ledger) as (...args: unknown[]) => unknown;
  const lost = new Set<string>();
  vi.spyOn(ledger, 'updateOne').mockImplementation(((
    entry: { _id: string },
    ...args: unknown[]
  ) => {
    if (lost.has(entry._id) || random(4) > 0) return updateOne(entry, ...args);
    lost.add(entry._id);
    return Promise.reject(duplicateKey());
  }) as never);
}

const duplicateKey = () => Object.assign(new Error('E11000'), { code: 11_000 });

type Random = ReturnType<typeof createRandom>;

const EXPECTED = new Set(['too_many_replies', 'quota_exceeded', 'unavailable']);

/** The provider's figures for each attempt and background call; repeated calls return the same. */
function createCharges(random: Random) {
  const charges = new Map<AttemptKey, TokenUsage>();
  return {
    charges,
    of: (key: AttemptKey): TokenUsage => {
      const used = charges.get(key) ?? {
        promptTokens: 100 + random(200),
        cachedTokens: random(100),
        completionTokens: random(300),
        model: `model-${random(3)}`,
      };
      charges.set(key, used);
      return used;
    },
  };
}

/** Four replies with two attempts, a background call of each kind, and a second run of one. */
const newKeys = (): AttemptKey[] =>
  Array.from({ length: 4 }, () => newObjectId()).flatMap((replyId) => [
    { replyId, attempt: 1 },
    ...USAGE_KINDS.map((kind) => ({ replyId, attempt: 2, kind })),
    { replyId, attempt: 2, kind: 'check', run: 2 },
  ]);

/** One random action of a user, a worker, the sweep, the audit or a change of plan. */
function createStep(random: Random, { ownerId, isGuest }: { ownerId: string; isGuest: boolean }) {
  const keys = newKeys();
  const { charges, of } = createCharges(random);

  const changePlan = () => {
    const plan = { kind: 'user', subscribed: true, subscriptionStatus: 'active' } as const;
    book.entitle(ownerId, {
      ...plan,
      limits: { tokens: LIMITS[random(2)] ?? 0 },
      period: monthlyPeriod({ startedAt: STARTED_AT, now: book.now() }),
    });
  };
  const step = async () => {
    const key = keys[random(keys.length)] ?? first();
    const choice = random(14);
    if (choice < 5) return reserve(ownerId, key);
    if (choice < 8) return book.usage.settle(ownerId, key, of(key));
    if (choice < 10) return book.usage.release(ownerId, key);
    if (choice === 10) return setCap(book.usage, ownerId, [null, 1_000, 5_000][random(3)] ?? null);
    if (choice === 11) return book.runAudit();
    if (choice === 12 && !isGuest) return changePlan();
    book.later(random(3) === 0 ? 13 * HOUR : 6 * MINUTE);
    return book.sweep();
  };
  return { step, charges };
}

describe.each([
  { isGuest: true, seeds: [1, 2, 3, 4, 5, 6] },
  { isGuest: false, seeds: [7, 8, 9, 10, 11, 12] },
])(
  'random interleavings of reserve, settle, release, expire, caps, plans and audits, with crashes (guest: $isGuest)',
  ({ isGuest, seeds }) => {
    it.each(seeds)('keep the sums equal to the entries (seed %i)', async (seed) => {
      const random = createRandom(seed);
      const ownerId = isGuest ? newObjectId() : subscriber(3_000);
      const { step, charges } = createStep(random, { ownerId, isGuest });
      for (let round = 0; round < 12; round += 1) {
        book.setCrashes(() => random(12) === 0);
        loseRaces(random);
        const results = await Promise.allSettled(Array.from({ length: 6 }, step));
        book.setCrashes(() => false);
        const unexpected = results
          .flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
          .filter((reason) => !(reason instanceof CrashError) && !EXPECTED.has(reason.code));
        expect(unexpected).toEqual([]);
        const { stored, derived } = await book.audit(ownerId);
        expect(stored).toEqual(derived);
        expect(stored.committed - stored.settled).toBeLessThanOrEqual(LARGEST_LIMIT);
      }
      // Crashed settlements are repeated, as the chat's sweeper does.
      for (const [key, used] of charges) await book.usage.settle(ownerId, key, used);
      book.later(6 * MINUTE);
      await book.sweep();
      const { stored, derived, left } = await book.audit(ownerId);
      const total = [...charges.values()].reduce(
        (sum, used) => sum + tokensOf(withDiscount(used, 0.1)),
        0,
      );
      expect([stored, left]).toEqual([derived, 0]);
      expect(stored).toMatchObject({ settled: total, committed: total, running: 0 });
      expect((await book.usage.audits.lastFinished())?.repaired ?? 0).toBe(0);
      const entries = await book.entriesOf(ownerId);
      const settled = entries.filter(({ state }) => state === 'settled');
      expect(settled.map(({ _id }) => _id).toSorted()).toEqual(
        [...charges.keys()].map(entryId).toSorted(),
      );
    });
  },
);

describe('twenty parallel sends on the last tokens', () => {
  const PROMPT = 100;
  const REPLY = 900;

  it.each([
    ['a subscriber’s month', { tokens: 10_000 }, null],
    ['a subscriber’s own cap', { tokens: 1_000_000 }, 10_000],
  ])('overspend %s by at most one prompt and the minimum reply', async (_what, limits, cap) => {
    const user = subscriber(0, { limits, running: 100 });
    await setCap(book.usage, user, cap);
    await book.usage.settle(user, first(), { promptTokens: 8_990, completionTokens: 0 });
    const keys = Array.from({ length: 20 }, () => first());
    const results = await Promise.allSettled(
      keys.map(async (key) => ({ key, ...(await reserve(user, key, PROMPT, REPLY)) })),
    );
    const made = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(made.length).toBeGreaterThan(1);
    // The replies have their maximum length.
    for (const { key, replyTokens } of made)
      await book.usage.settle(user, key, { promptTokens: PROMPT, completionTokens: replyTokens });
    const { stored } = await book.audit(user);
    expect(stored.settled).toBeGreaterThan(10_000);
    expect(stored.settled).toBeLessThan(10_000 + PROMPT + MIN_REPLY_TOKENS);
    await expect(reserve(user)).rejects.toMatchObject({ code: 'quota_exceeded' });
  });
});
