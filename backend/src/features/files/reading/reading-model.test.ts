import { beforeAll, describe, expect, it } from 'vitest';
import { newId, startReading } from './reading.fixture.ts';
import type { ReadingTry } from './reading-model.ts';

let rig: Awaited<ReturnType<typeof startReading>>;
const NOW = new Date('2026-11-22T10:00:00Z');
const LATER = new Date('2026-11-22T10:01:00Z');
const BEFORE = new Date('2026-11-22T09:59:00Z');
const READING = { state: 'reading', reading: { tries: 2, lost: 0, faults: 0, dueAt: NOW } };
const RESULT = {
  type: 'application/pdf',
  kind: 'pdf' as const,
  truncated: false,
  hasThumbnail: true,
  pages: 2,
  textBytes: 9,
};
const PROBLEM = { code: 'damaged' as const, message: 'Broken.' };

beforeAll(async () => {
  rig = await startReading();
});

describe('a try', () => {
  it('starts with a file that waits, and counts', async () => {
    const { id, key } = await rig.insert({ progress: { done: 1, total: 2 } });
    const started = await rig.readings.startWaiting(key, { dueAt: LATER });
    expect(started).toMatchObject({ tries: 1, lost: 0, faults: 0, file: { id, state: 'reading' } });
    expect(started?.file.progress).toBeUndefined();
    expect((await rig.stored(id)).reading).toEqual({ tries: 1, dueAt: LATER });
  });

  it.each(['storing', 'reading', 'ready', 'failed'])(
    'does not start with a file that is %s',
    async (state) => {
      const { key } = await rig.insert({ state });
      expect(await rig.readings.startWaiting(key, { dueAt: LATER })).toBeNull();
    },
  );

  it('starts once when several workers start it', async () => {
    const { key } = await rig.insert();
    const start = () => rig.readings.startWaiting(key, { dueAt: LATER });
    const started = await Promise.all([start(), start(), start()]);
    expect(started.filter(Boolean)).toHaveLength(1);
  });

  it('takes over a file whose worker was lost, and counts that', async () => {
    const { id, key } = await rig.insert(READING);
    const takeOver = () => rig.readings.takeOver(key, { now: NOW, dueAt: LATER });
    const taken = await Promise.all([takeOver(), takeOver()]);
    expect(taken.filter(Boolean)).toMatchObject([{ tries: 3, lost: 1 }]);
    expect((await rig.stored(id)).reading?.dueAt).toEqual(LATER);
  });

  it.each([
    ['whose worker is alive', { reading: { ...READING.reading, dueAt: LATER } }],
    ['that waits', { state: 'waiting' }],
    ['that has failed', { state: 'failed' }],
  ])('does not take over a file %s', async (_, fields) => {
    const { key } = await rig.insert({ ...READING, ...fields });
    expect(await rig.readings.takeOver(key, { now: NOW, dueAt: LATER })).toBeNull();
  });

  it('does not start with a file of another user', async () => {
    const { id } = await rig.insert();
    const { id: lost } = await rig.insert(READING);
    const ownerId = newId();
    expect(await rig.readings.startWaiting({ id, ownerId }, { dueAt: LATER })).toBeNull();
    const options = { now: NOW, dueAt: LATER };
    expect(await rig.readings.takeOver({ id: lost, ownerId }, options)).toBeNull();
  });
});

describe('the worker of a try', () => {
  const CHANGES: [string, (run: ReadingTry) => Promise<unknown>][] = [
    ['a heartbeat', (run) => rig.readings.heartbeat(run, { dueAt: LATER })],
    ['an end', (run) => rig.readings.end(run, RESULT)],
    ['a failure', (run) => rig.readings.fail(run, { problem: PROBLEM, hasThumbnail: false })],
    ['a return', (run) => rig.readings.putBack(run, { dueAt: LATER, fault: true })],
  ];

  it.each(CHANGES)(
    'changes nothing by %s when another try or nobody has the file',
    async (_, change) => {
      const other = await rig.insert(READING);
      const ended = await rig.insert({ ...READING, state: 'ready' });
      const before = [await rig.stored(other.id), await rig.stored(ended.id)];
      expect(await change({ ...other.key, tries: 1 })).toBeNull();
      expect(await change({ ...other.key, tries: 2, ownerId: newId() })).toBeNull();
      expect(await change({ ...ended.key, tries: 2 })).toBeNull();
      expect([await rig.stored(other.id), await rig.stored(ended.id)]).toEqual(before);
    },
  );

  it('stores progress with a heartbeat', async () => {
    const { id, key } = await rig.insert(READING);
    const run = { ...key, tries: 2 };
    const progress = { done: 1, total: 2 };
    expect(await rig.readings.heartbeat(run, { dueAt: LATER, progress })).toMatchObject({
      progress,
    });
    await rig.readings.heartbeat(run, { dueAt: BEFORE });
    expect(await rig.stored(id)).toMatchObject({ progress, reading: { dueAt: BEFORE } });
  });

  it('stores what it has read', async () => {
    const { id, key } = await rig.insert({ ...READING, progress: { done: 1, total: 2 } });
    const file = await rig.readings.end({ ...key, tries: 2 }, RESULT);
    expect(file).toMatchObject({ id, state: 'ready', ...RESULT });
    expect(file?.progress).toBeUndefined();
    expect((await rig.stored(id)).reading).toEqual({ tries: 2, lost: 0, faults: 0 });
  });

  it('stores why a file cannot be read', async () => {
    const { id, key } = await rig.insert({ ...READING, progress: { done: 1, total: 2 } });
    const result = { problem: PROBLEM, hasThumbnail: true };
    const file = await rig.readings.fail({ ...key, tries: 2 }, result);
    expect(file).toMatchObject({ id, state: 'failed', ...result });
    expect(file?.progress).toBeUndefined();
    expect((await rig.stored(id)).reading?.dueAt).toBeUndefined();
  });

  it('puts a file back, and counts a fault only when it is one', async () => {
    const { id, key } = await rig.insert({ ...READING, progress: { done: 1, total: 2 } });
    await rig.readings.putBack({ ...key, tries: 2 }, { dueAt: LATER, fault: true });
    const stored = await rig.stored(id);
    expect(stored).toMatchObject({ state: 'waiting', reading: { faults: 1, dueAt: LATER } });
    expect(stored.progress).toBeUndefined();
    await rig.readings.startWaiting(key, { dueAt: LATER });
    await rig.readings.putBack({ ...key, tries: 3 }, { dueAt: LATER, fault: false });
    expect((await rig.stored(id)).reading).toMatchObject({ tries: 3, faults: 1 });
  });
});

describe('a file that has failed', () => {
  const failed = { state: 'failed', problem: PROBLEM };

  it('waits again with new counts, and keeps its fencing token', async () => {
    const reading = { tries: 4, lost: 2, faults: 3 };
    const { id, key } = await rig.insert({ ...failed, reading });
    expect(await rig.readings.retryFailed(key, { dueAt: LATER })).toMatchObject({
      state: 'waiting',
    });
    const stored = await rig.stored(id);
    expect(stored.problem).toBeUndefined();
    expect(stored.reading).toEqual({ tries: 4, again: true, lost: 0, faults: 0, dueAt: LATER });
    expect(await rig.readings.retryFailed(key, { dueAt: LATER })).toBeNull();
  });

  it('does not wait again for another user', async () => {
    const { id } = await rig.insert(failed);
    const key = { id, ownerId: newId() };
    expect(await rig.readings.retryFailed(key, { dueAt: LATER })).toBeNull();
  });
});

describe('queries', () => {
  it('find a file of its owner only', async () => {
    const { id, key } = await rig.insert();
    expect(await rig.readings.find(key)).toMatchObject({ id });
    expect(await rig.readings.find({ id, ownerId: newId() })).toBeNull();
  });

  it('tell when a file that is being read counts as lost', async () => {
    const { key, id } = await rig.insert(READING);
    expect(await rig.readings.dueAt(key)).toEqual(NOW);
    expect(await rig.readings.dueAt({ id, ownerId: newId() })).toBeNull();
    const { key: waiting } = await rig.insert({ ...READING, state: 'waiting' });
    expect(await rig.readings.dueAt(waiting)).toBeNull();
  });

  it('count the files of a user that are not read yet', async () => {
    const ownerId = newId();
    const states = ['storing', 'waiting', 'reading', 'ready', 'failed'];
    const inserted = await Promise.all(states.map((state) => rig.insert({ state, ownerId })));
    const fileIds = inserted.map(({ id }) => id);
    expect(await rig.readings.countUnfinished({ ownerId, fileIds })).toBe(3);
    expect(await rig.readings.countUnfinished({ ownerId, fileIds: fileIds.slice(0, 1) })).toBe(1);
    expect(await rig.readings.countUnfinished({ ownerId: newId(), fileIds })).toBe(0);
  });

  it('find files that are late, or never had a job', async () => {
    const dueAt = NOW;
    const own = await Promise.all([
      rig.insert(),
      rig.insert({ reading: { dueAt } }),
      rig.insert(READING),
      rig.insert({ reading: { dueAt: LATER } }),
      rig.insert({ state: 'ready', reading: { dueAt } }),
      rig.insert({ state: 'failed' }),
      rig.insert({ state: 'storing' }),
    ]);
    const found = await rig.readings.findDue({ now: NOW, limit: 1_000 });
    const ids = new Set(found.map(({ id }) => id));
    expect(own.map(({ id }) => ids.has(id))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('lease a file that waits to one sweeper', async () => {
    for (const reading of [undefined, { dueAt: NOW }]) {
      const { key, id } = await rig.insert({ reading });
      const lease = () => rig.readings.leaseWaiting(key, { now: NOW, dueAt: LATER });
      expect((await Promise.all([lease(), lease()])).filter(Boolean)).toHaveLength(1);
      expect((await rig.stored(id)).reading?.dueAt).toEqual(LATER);
    }
    const lost = await rig.insert(READING);
    expect(await rig.readings.leaseWaiting(lost.key, { now: NOW, dueAt: LATER })).toBe(false);
    const { id } = await rig.insert();
    const other = { id, ownerId: newId() };
    expect(await rig.readings.leaseWaiting(other, { now: NOW, dueAt: LATER })).toBe(false);
  });
});
