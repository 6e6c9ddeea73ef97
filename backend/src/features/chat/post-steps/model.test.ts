import { Types } from 'mongoose';
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../../test/chat.ts';
import { startGeneration } from '../../../../test/generation.ts';
import type { StepKey } from './job.ts';
import { countedRun, withMetadata } from './model.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;
const NOW = new Date('2026-11-22T10:00:00Z');
const LATER = new Date('2026-11-22T10:01:00Z');
const BEFORE = new Date('2026-11-22T09:59:00Z');

beforeAll(async () => {
  rig = await startGeneration();
});

const memory = { name: 'memory', tries: 0, sweepAt: NOW };
const check = { name: 'check', tries: 2, sweepAt: LATER, heartbeatAt: NOW };

/** A complete reply whose third attempt completed it, with two pending steps unless `fields` say otherwise. */
async function insert(fields: object = {}) {
  const complete = { status: 'complete', active: undefined, attempt: 3, content: 'Owls' };
  const reply = await rig.insert({ ...complete, postSteps: [memory, check], ...fields });
  const key = (step: string, attempt = 3) => ({
    replyId: reply.id,
    conversationId: reply.conversationId,
    attempt,
    step,
  });
  return { ...reply, key };
}

const stepsOf = async (id: string) => (await rig.stored(id)).postSteps;

/** Steps that are not pending: of another attempt, ended, or of a reply that is not complete. */
const NOT_PENDING = [
  ['another attempt', {}, { attempt: 2 }],
  ['a reply that is not complete', { status: 'stopped' }, {}],
  ['a step that has ended', { postSteps: [check] }, {}],
] as const;

const START = { now: NOW, lostBefore: BEFORE, dueAt: LATER };
const INSIGHT = [{ insight: 'Owls hoot.' }];

describe('a run of a step', () => {
  const start = (key: StepKey) => rig.steps.tasks.start(key, START, countedRun(key));

  it('is counted for its own step only', async () => {
    const { id, key } = await insert();
    expect(await start(key('memory'))).toMatchObject({
      attempt: 1,
      doc: { reply: { id, content: 'Owls', attempt: 3 }, runs: { memory: 1 } },
    });
    expect(await stepsOf(id)).toEqual([
      { name: 'memory', tries: 1, heartbeatAt: NOW, sweepAt: LATER },
      check,
    ]);
  });

  it('has a separate number, also when the step is requested again', async () => {
    const { key } = await insert();
    await start(key('memory'));
    await rig.steps.tasks.end({ key: key('memory'), attempt: 1 });
    await rig.steps.request(key('memory'), { metadata: {}, now: NOW });
    expect(await start(key('memory'))).toMatchObject({ attempt: 1, doc: { runs: { memory: 2 } } });
  });

  it.each(NOT_PENDING)('does not begin for %s', async (_, fields, changed) => {
    const { key } = await insert(fields);
    expect(await start({ ...key('memory'), ...changed })).toBeNull();
  });

  it('ends with its metadata and leaves that of others', async () => {
    const files = [{ name: 'owls.pdf' }];
    const { id, key } = await insert({ metadata: { files } });
    await start(key('memory'));
    const run = { key: key('memory'), attempt: 1 };
    const ended = await rig.steps.tasks.end(run, withMetadata({ insightCards: INSIGHT }));
    expect(ended?.reply).toMatchObject({ id, metadata: { files, insightCards: INSIGHT } });
    expect(await stepsOf(id)).toEqual([check]);
    await rig.steps.tasks.end({ key: key('check'), attempt: 2 }, withMetadata());
    expect(await stepsOf(id)).toEqual([]);
    expect((await rig.stored(id)).metadata).toEqual({ files, insightCards: INSIGHT });
  });

  it.each(NOT_PENDING)('stores nothing for %s', async (_, fields, changed) => {
    const { id, key } = await insert(fields);
    const run = { key: { ...key('memory'), ...changed }, attempt: 1 };
    const metadata = withMetadata({ insightCards: INSIGHT });
    expect(await rig.steps.tasks.end(run, metadata)).toBeNull();
    expect((await rig.stored(id)).metadata).toBeUndefined();
  });

  it('of an earlier version waits, and is begun and found like others', async () => {
    const former = { name: 'memory', tries: 2, lost: 1, sweepAt: NOW };
    const { key, id } = await insert();
    await rig.model.collection.updateOne(
      { _id: new Types.ObjectId(id) },
      { $set: { postSteps: [{ ...former, startedAt: BEFORE }] } },
    );
    const due = await rig.steps.tasks.findDue({ now: NOW, limit: 1_000 });
    expect(due).toContainEqual(key('memory'));
    expect(await start(key('memory'))).toMatchObject({ attempt: 3, lost: 1 });
  });
});

it('finds the steps that are due, and no others of their replies', async () => {
  const { id, key } = await insert();
  const dueOf = async (now: Date) =>
    (await rig.steps.tasks.findDue({ now, limit: 1_000 })).filter(({ replyId }) => replyId === id);
  expect(await dueOf(BEFORE)).toEqual([]);
  expect(await dueOf(NOW)).toEqual([key('memory')]);
  expect(await dueOf(LATER)).toEqual([key('memory'), key('check')]);
});

describe('when a user is removed', () => {
  it('finds steps by the index of pending ones, never among all messages of the user', async () => {
    const { ownerId } = await insert();
    const name = 'postSteps.sweepAt_1';
    await rig.model.collection.dropIndex(name);
    // The query names the index, so the database refuses instead of reading every message.
    await expect(rig.steps.isAnyRunning(ownerId, BEFORE)).rejects.toThrow(/hint/);
    await rig.model.createIndexes();
    expect(await rig.steps.isAnyRunning(ownerId, BEFORE)).toBe(true);
  });

  it('drops waiting steps of this user only', async () => {
    const own = await insert();
    const other = await insert();
    await rig.steps.dropWaiting(own.ownerId);
    expect(await stepsOf(own.id)).toEqual([check]);
    expect(await stepsOf(other.id)).toEqual([memory, check]);
  });

  it('finds running steps with a recent heartbeat, of this user only', async () => {
    const { ownerId } = await insert();
    expect(await rig.steps.isAnyRunning(ownerId, BEFORE)).toBe(true);
    expect(await rig.steps.isAnyRunning(ownerId, NOW)).toBe(false);
    expect(await rig.steps.isAnyRunning(newId(), BEFORE)).toBe(false);
    const waiting = await insert({ postSteps: [memory] });
    expect(await rig.steps.isAnyRunning(waiting.ownerId, BEFORE)).toBe(false);
  });
});
