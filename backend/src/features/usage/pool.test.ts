import { beforeEach, describe, expect, it } from 'vitest';
import type { Payer } from '../payer.ts';
import { countAskedBy, type ReplyLine, readLines, removeAllOf } from './lines.ts';
import { readPool, setCap } from './overview.ts';
import type { AttemptKey } from './records.ts';
import { actsOf, first, MINUTE, used } from './test/acts.ts';
import { type Book, newObjectId, withBook } from './test/ledger-book.ts';

let book: Book;
let owner: string;
let workspaceId: string;

withBook((opened) => {
  book = opened;
});

const { spend, subscriber } = actsOf(() => book);

beforeEach(() => {
  owner = subscriber(10_000, { subscriptionPlan: 'pro' });
  workspaceId = newObjectId();
});

/** A member of the workspace, whom the owner's plan pays for. */
const member = (cap: number | null = null): Payer => {
  const userId = newObjectId();
  book.members.set(userId, { cap });
  return { ownerId: owner, userId, workspaceId };
};
const reserve = (payer: Payer, key: AttemptKey = first(), replyTokens = 400) =>
  book.usage.reserve(payer, { ...key, promptTokens: 100, replyTokens });
const refusalsOf = (results: PromiseSettledResult<unknown>[]) =>
  results.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
const sumsOf = async (userId: string) =>
  (await book.sumsOf(owner))[0]?.members?.[userId] as object | undefined;
const linesOf = async (userId: string) => {
  const lines: ReplyLine[] = [];
  for await (const line of readLines(book.usage, userId)) lines.push(line);
  return lines;
};
const expectAudited = async () => {
  const { stored, derived } = await book.audit(owner);
  expect(stored).toEqual(derived);
};

describe('the pool of a workspace', () => {
  it('is not overspent by twenty members who send at once', async () => {
    await spend(owner, 7_500);
    const members = Array.from({ length: 20 }, () => member());
    const results = await Promise.allSettled(members.map((one) => reserve(one, first(), 900)));
    expect((await book.audit(owner)).stored).toMatchObject({ committed: 10_000 });
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(new Set(refusalsOf(results))).toEqual(new Set(['too_many_replies']));
  });

  it('is used up for every member until it starts again, without the amounts', async () => {
    await spend(owner, 10_000);
    await expect(reserve(member())).rejects.toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringMatching(/^The workspace's tokens are used up until /),
      details: { workspaceId, resetsAt: expect.stringMatching(/Z$/) },
    });
    await expect(reserve(member())).rejects.not.toHaveProperty('details.used');
    expect(await readPool(book.usage, owner)).toMatchObject({ isUsedUp: true });
  });

  it('charges the owner, and counts what each member has used', async () => {
    const [ada, ben] = [member(), member()];
    const key = first();
    await reserve(ada, key);
    await book.usage.settle(ada, key, used(90, 30));
    await book.usage.settle(ben, first(), used(5, 5));
    expect((await readPool(book.usage, owner)).members).toEqual({
      [ada.userId]: { tokens: 120, lastUsedOn: book.now().toISOString().slice(0, 10) },
      [ben.userId]: expect.objectContaining({ tokens: 10 }),
    });
    expect((await book.entriesOf(owner)).map((one) => String(one.userId)).toSorted()).toEqual(
      [ada.userId, ben.userId].toSorted(),
    );
    await expectAudited();
  });

  it('limits the running replies of each sender, not of all together', async () => {
    const [ada, ben] = [member(), member()];
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => reserve(ada, first(), 1)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(6);
    await reserve(ben);
    await book.usage.reserve(owner, { ...first(), promptTokens: 1, replyTokens: 1 });
    expect(await sumsOf(ada.userId)).toMatchObject({ running: 6 });
  });

  it('is not refused to a member by replies of others that the plan of the owner does not pay', async () => {
    const ada = member();
    const key = first();
    await reserve(ada, key);
    expect(await reserve(ada, key)).toEqual(await reserve(ada, key));
    await book.usage.release(ada, key);
    expect(await sumsOf(ada.userId)).toMatchObject({ committed: 0, running: 0 });
  });
});

describe("a member's cap", () => {
  it('and the pool are compared in one update, also when twenty replies are sent at once', async () => {
    const ada = member(1_200);
    await spend(owner, 8_000);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => reserve(ada, first(), 300)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await sumsOf(ada.userId)).toMatchObject({ committed: 1_200 });
    const ben = Array.from({ length: 20 }, () => reserve(member(), first(), 300));
    await Promise.allSettled(ben);
    expect((await book.audit(owner)).stored.committed).toBe(10_000);
  });

  it('is used up with its own sentence, while others may still send', async () => {
    const ada = member(100);
    await book.usage.settle(ada, first(), used(100, 0));
    await expect(reserve(ada)).rejects.toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringMatching(/^Your share of the workspace's tokens is used up until /),
      details: { workspaceId, memberCap: true, used: 100, limit: 100 },
    });
    await reserve(member());
  });
});

describe('a sender who leaves while the reply runs', () => {
  it('is charged to the pool once, and the reply may be attempted again', async () => {
    const ada = member();
    const key = first();
    await reserve(ada, key);
    book.members.delete(ada.userId);
    await reserve(ada, { ...key, attempt: 2 });
    await book.usage.release(ada, { ...key, attempt: 2 });
    await Promise.all([1, 2].map(() => book.usage.settle(ada, key, used(90, 30))));
    expect((await book.audit(owner)).stored).toMatchObject({ settled: 120, running: 0 });
    await expectAudited();
  });

  it('gets no further calls about it from the pool', async () => {
    const ada = member();
    book.members.delete(ada.userId);
    await expect(reserve(ada, { ...first(), kind: 'check' })).rejects.toMatchObject({
      code: 'quota_exceeded',
    });
  });
});

it("charges once when the owner's plan ends in the middle, and pays for nothing else", async () => {
  const ada = member();
  const key = first();
  await reserve(ada, key);
  book.entitle(owner, { kind: 'user', subscribed: false, mayChat: false, limits: { tokens: 0 } });
  await expect(reserve(ada)).rejects.toMatchObject({
    code: 'subscription_required',
    details: { workspaceId },
  });
  await book.usage.settle(ada, key, used(90, 30));
  await book.usage.settle(ada, key, used(90, 30));
  expect((await book.audit(owner)).stored).toMatchObject({ settled: 120, running: 0 });
});

it('charges the new owner when the ownership moved between two sends of a message', async () => {
  const ada = member();
  const key = first();
  await reserve(ada, key);
  const next = subscriber(10_000, { subscriptionPlan: 'pro' });
  const later = { ...ada, ownerId: next };
  await reserve(later, key);
  book.later(6 * MINUTE);
  await book.sweep();
  await book.usage.settle(later, key, used(90, 30));
  expect((await book.audit(owner)).stored).toMatchObject({ settled: 0, committed: 0 });
  expect((await book.audit(next)).derived).toMatchObject({ settled: 120 });
  expect(await book.entriesOf(next)).toMatchObject([{ state: 'settled' }]);
});

it('repairs the sums of members from the ledger', async () => {
  const ada = member();
  await book.usage.settle(ada, first(), used(90, 30));
  await book.models.usage.updateOne(
    { ownerId: owner },
    { $set: { [`members.${ada.userId}.settled`]: 7 } },
  );
  await book.runAudit();
  expect(await sumsOf(ada.userId)).toMatchObject({ settled: 120, committed: 120, running: 0 });
});

describe('the lines of a user', () => {
  it("are what the user asked for, whoever paid; those of members are not the owner's", async () => {
    const ada = member();
    const [own, open] = [first(), first()];
    await book.usage.settle(ada, first(), used(90, 30));
    await reserve(ada, open);
    await book.usage.settle(owner, own, used(1, 2));
    await book.usage.settle({ ...ada, userId: owner }, first(), used(3, 4));
    expect((await linesOf(ada.userId)).map((line) => [line.workspaceId, line.tokens])).toEqual([
      [workspaceId, 500],
      [workspaceId, 120],
    ]);
    const ofOwner = await linesOf(owner);
    expect(new Set(ofOwner.map(({ tokens }) => tokens))).toEqual(new Set([3, 7]));
  });

  it('of a deleted member keep the sums of the owner, without the member', async () => {
    const ada = member();
    await book.usage.settle(ada, first(), used(90, 30));
    await reserve(ada);
    expect(await countAskedBy(book.usage, ada.userId)).toBeGreaterThan(0);
    await removeAllOf(book.usage, ada.userId);
    expect(await countAskedBy(book.usage, ada.userId)).toBe(0);
    expect(JSON.stringify([await book.sumsOf(owner), await book.entriesOf(owner)])).not.toContain(
      ada.userId,
    );
    expect((await book.audit(owner)).stored).toMatchObject({ settled: 120, committed: 120 });
    await expectAudited();
    await book.runAudit();
    expect((await book.audit(owner)).stored).toMatchObject({ settled: 120 });
  });
});

describe('a conversation that its owner pays for', () => {
  const asked = (conversationId: string): Payer => ({
    ownerId: owner,
    userId: newObjectId(),
    conversationId,
  });
  const offer = (cap: number) => {
    const id = newObjectId();
    book.paid.set(id, { cap });
    return id;
  };

  it('takes no more than its cap when twenty send at once, whoever they are', async () => {
    const id = offer(1_000);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => reserve(asked(id), first(), 300)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    const sums = (await sumsOf(id)) as { committed: number };
    expect(sums.committed).toBeLessThanOrEqual(1_000);
    await book.runAudit();
    expect(await sumsOf(id)).toEqual(sums);
  });

  it('is charged to the owner once, is no line of the owner, and one of who asked', async () => {
    const ada = asked(offer(1_000));
    const key = first();
    await reserve(ada, key);
    await Promise.all([1, 2].map(() => book.usage.settle(ada, key, used(90, 30))));
    expect(await sumsOf(ada.conversationId ?? '')).toMatchObject({ settled: 120, running: 0 });
    expect(await linesOf(owner)).toEqual([]);
    expect(await linesOf(ada.userId)).toMatchObject([
      { tokens: 120, conversationId: ada.conversationId },
    ]);
    await expectAudited();
    await removeAllOf(book.usage, ada.userId);
    expect(await countAskedBy(book.usage, ada.userId)).toBe(0);
    expect(await sumsOf(ada.conversationId ?? '')).toMatchObject({ settled: 120 });
    await expectAudited();
  });

  it('is paid no more when its cap or the plan is used up, or the plan has ended', async () => {
    const id = offer(100);
    const offered = { ownerId: owner, conversationId: id, cap: 100 };
    expect(await book.usage.canPayFor(offered)).toBe(true);
    await book.usage.settle(asked(id), first(), used(90, 30));
    expect(await book.usage.canPayFor(offered)).toBe(false);
    expect(await book.usage.canPayFor({ ...offered, cap: 1_000 })).toBe(true);
    await expect(reserve(asked(id))).rejects.toMatchObject({
      code: 'quota_exceeded',
      details: { conversationId: id },
    });
    await spend(owner, 10_000);
    expect(await book.usage.canPayFor({ ...offered, cap: 1_000 })).toBe(false);
    book.entitle(owner, { kind: 'user', subscribed: false, mayChat: false, limits: { tokens: 0 } });
    expect(await book.usage.canPayFor({ ...offered, cap: 1_000 })).toBe(false);
    await expect(reserve(asked(id))).rejects.toMatchObject({ details: { conversationId: id } });
  });

  it("is paid no more while the owner's own cap of the day is used up", async () => {
    const offered = { ownerId: owner, conversationId: offer(1_000), cap: 1_000 };
    await setCap(book.usage, owner, 500);
    expect(await book.usage.canPayFor(offered)).toBe(true);
    await spend(owner, 500);
    await expect(reserve(asked(offered.conversationId))).rejects.toMatchObject({
      details: { conversationId: offered.conversationId },
    });
    expect(await book.usage.canPayFor(offered)).toBe(false);
  });

  it('finishes a reply that was accepted before the offer ended, and pays for nothing else', async () => {
    const ada = asked(offer(1_000));
    const key = first();
    await reserve(ada, key);
    book.paid.clear();
    await expect(reserve(ada, { ...first(), kind: 'check' })).rejects.toMatchObject({
      code: 'quota_exceeded',
    });
    await book.usage.settle(ada, key, used(90, 30));
    expect((await book.audit(owner)).stored).toMatchObject({ settled: 120, running: 0 });
    await expectAudited();
  });
});
