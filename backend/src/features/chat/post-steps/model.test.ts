import { beforeAll, describe, expect, it } from 'vitest';
import { newId, startGeneration } from '../generation/generation.fixture.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;
const NOW = new Date('2026-11-22T10:00:00Z');
const LATER = new Date('2026-11-22T10:01:00Z');
const BEFORE = new Date('2026-11-22T09:59:00Z');

beforeAll(async () => {
  rig = await startGeneration();
});

const memory = { name: 'memory', tries: 0, sweepAt: NOW };
const check = { name: 'check', tries: 2, sweepAt: LATER, startedAt: NOW };

/** A complete reply whose third attempt completed it, with two pending steps unless `fields` say otherwise. */
async function insert(fields: object = {}) {
  const complete = { status: 'complete', active: undefined, attempt: 3, content: 'Owls' };
  const reply = await rig.insert({ ...complete, postSteps: [memory, check], ...fields });
  const key = (step: string, attempt = 3) => ({ replyId: reply.id, attempt, step });
  return { ...reply, key };
}

const stepsOf = async (id: string) => (await rig.stored(id)).postSteps;

/** Steps that are not pending: of another attempt, ended, or of a reply that is not complete. */
const NOT_PENDING = [
  ['another attempt', {}, { attempt: 2 }],
  ['a reply that is not complete', { status: 'stopped' }, {}],
  ['a step that has ended', { postSteps: [check] }, {}],
] as const;

describe('a run of a step', () => {
  it('counts a try of its own step only', async () => {
    const { id, key } = await insert();
    expect(await rig.steps.start(key('memory'), { now: NOW, sweepAt: LATER })).toMatchObject({
      tries: 1,
      run: 1,
      reply: { id, content: 'Owls', attempt: 3 },
    });
    expect(await stepsOf(id)).toEqual([
      { name: 'memory', tries: 1, startedAt: NOW, sweepAt: LATER },
      check,
    ]);
    expect(await rig.steps.start(key('check'), { now: LATER, sweepAt: LATER })).toMatchObject({
      tries: 3,
    });
  });

  it('counts the runs before it that have not ended as lost', async () => {
    const { key } = await insert();
    const start = () => rig.steps.start(key('memory'), { now: NOW, sweepAt: LATER });
    expect(await start()).toMatchObject({ tries: 1, lost: 0 });
    expect(await start()).toMatchObject({ tries: 2, lost: 1 });
    await rig.steps.retryLater({ ...key('memory'), tries: 2 }, LATER);
    expect(await start()).toMatchObject({ tries: 3, lost: 1 });
  });

  it('counts its runs, also when it is asked for again', async () => {
    const { key } = await insert();
    const start = () => rig.steps.start(key('memory'), { now: NOW, sweepAt: LATER });
    await start();
    expect(await start()).toMatchObject({ tries: 2, run: 2 });
    await rig.steps.end(key('memory'));
    await rig.steps.request(key('memory'), { metadata: {}, now: NOW });
    expect(await start()).toMatchObject({ tries: 1, run: 3 });
  });

  it.each(NOT_PENDING)('does not begin for %s', async (_, fields, changed) => {
    const { key } = await insert(fields);
    const run = { now: NOW, sweepAt: LATER };
    expect(await rig.steps.start({ ...key('memory'), ...changed }, run)).toBeNull();
  });

  it('ends with its metadata and leaves that of others', async () => {
    const files = [{ name: 'owls.pdf' }];
    const { id, key } = await insert({ metadata: { files } });
    const insightCards = [{ insight: 'Owls hoot.' }];
    const ended = await rig.steps.end(key('memory'), { insightCards });
    expect(ended).toMatchObject({ id, metadata: { files, insightCards } });
    expect(await stepsOf(id)).toEqual([check]);
    expect(await rig.steps.end(key('check'))).toMatchObject({ metadata: { files, insightCards } });
    expect(await stepsOf(id)).toEqual([]);
  });

  it.each(NOT_PENDING)('stores nothing for %s', async (_, fields, changed) => {
    const { id, key } = await insert(fields);
    const metadata = { insightCards: [{ insight: 'Owls hoot.' }] };
    expect(await rig.steps.end({ ...key('memory'), ...changed }, metadata)).toBeNull();
    expect((await rig.stored(id)).metadata).toBeUndefined();
  });

  it('that fails waits for its next try, or is given up', async () => {
    const { id, key } = await insert();
    expect(await rig.steps.retryLater({ ...key('check'), tries: 2 }, NOW)).toBe(true);
    const waiting = { name: 'check', tries: 2, sweepAt: NOW };
    expect(await stepsOf(id)).toEqual([memory, waiting]);
    expect(await rig.steps.giveUp({ ...key('check'), tries: 2 })).toBe(true);
    expect(await rig.stored(id)).toMatchObject({ postSteps: [memory], failedSteps: ['check'] });
  });

  it('changes nothing by failing once another run has followed', async () => {
    const { id, key } = await insert();
    expect(await rig.steps.retryLater({ ...key('check'), tries: 1 }, NOW)).toBe(false);
    expect(await rig.steps.giveUp({ ...key('check'), tries: 1 })).toBe(false);
    expect(await stepsOf(id)).toEqual([memory, check]);
  });
});

describe('steps that are due', () => {
  const dueOf = async (id: string, now: Date) =>
    (await rig.steps.findDue({ now, limit: 1_000 })).filter(({ replyId }) => replyId === id);

  it('are found', async () => {
    const { id, key } = await insert();
    expect(await dueOf(id, BEFORE)).toEqual([]);
    expect(await dueOf(id, NOW)).toEqual([key('memory')]);
    expect(await dueOf(id, LATER)).toEqual([key('memory'), key('check')]);
  });

  it('are found in the order in which they became due', async () => {
    const minutes = [4, 8, 1, 7, 2, 6, 3, 5];
    const ids = new Map<number, string>();
    for (const minute of minutes) {
      const sweepAt = new Date(BEFORE.getTime() - minute * 60_000);
      ids.set(minute, (await insert({ postSteps: [{ ...memory, sweepAt }] })).id);
    }
    const found = await rig.steps.findDue({ now: BEFORE, limit: 1_000 });
    const expected = minutes.toSorted((a, b) => b - a).map((minute) => ids.get(minute));
    expect(found.map(({ replyId }) => replyId)).toEqual(expected);
  });

  it('are leased to one sweeper until they are due again', async () => {
    const { id, key } = await insert();
    const lease = () => rig.steps.leaseDue(key('memory'), { now: NOW, sweepAt: LATER });
    const leased = await Promise.all([lease(), lease(), lease()]);
    expect(leased.filter(Boolean)).toHaveLength(1);
    expect(await stepsOf(id)).toEqual([{ ...memory, sweepAt: LATER }, check]);
    expect(await rig.steps.leaseDue(key('check'), { now: NOW, sweepAt: NOW })).toBe(false);
  });
});

describe('when a user is removed', () => {
  it('steps are looked for by the index of pending ones, never among all messages of the user', async () => {
    const { ownerId } = await insert();
    const name = 'postSteps.sweepAt_1';
    await rig.model.collection.dropIndex(name);
    // Named in the query: without it the database refuses instead of reading every message.
    await expect(rig.steps.isAnyRunning(ownerId, BEFORE)).rejects.toThrow(/hint/);
    await rig.model.createIndexes();
    expect(await rig.steps.isAnyRunning(ownerId, BEFORE)).toBe(true);
  });

  it('steps that wait are dropped, of this user only', async () => {
    const own = await insert();
    const other = await insert();
    await rig.steps.dropWaiting(own.ownerId);
    expect(await stepsOf(own.id)).toEqual([check]);
    expect(await stepsOf(other.id)).toEqual([memory, check]);
  });

  it('steps run that have begun lately, of this user only', async () => {
    const { ownerId } = await insert();
    expect(await rig.steps.isAnyRunning(ownerId, BEFORE)).toBe(true);
    expect(await rig.steps.isAnyRunning(ownerId, NOW)).toBe(false);
    expect(await rig.steps.isAnyRunning(newId(), BEFORE)).toBe(false);
    const waiting = await insert({ postSteps: [memory] });
    expect(await rig.steps.isAnyRunning(waiting.ownerId, BEFORE)).toBe(false);
  });
});
