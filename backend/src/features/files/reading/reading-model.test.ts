import { beforeAll, describe, expect, it } from 'vitest';
import type { FileKind } from '../../../contract/files.ts';
import { newId, startReading } from './reading.fixture.ts';
import { progressed, ready, startedReading, unreadable, waitingAgain } from './reading-model.ts';

let rig: Awaited<ReturnType<typeof startReading>>;
const NOW = new Date('2026-11-22T10:00:00Z');
const LATER = new Date('2026-11-22T10:01:00Z');
const READING = {
  state: 'reading',
  reading: { tries: 2, lost: 0, faults: 0, heartbeatAt: NOW, dueAt: NOW },
};
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

const jobOf = ({ id, ownerId }: { id: string; ownerId: string }) => ({ fileId: id, ownerId });
const START = { now: NOW, lostBefore: NOW, dueAt: LATER };
type Key = ReturnType<typeof jobOf>;
const start = (key: Key) => rig.readings.tasks.start(key, START, startedReading);

describe('an attempt', () => {
  it('starts with a waiting file, and drops the earlier progress', async () => {
    const { id, key } = await rig.insert({ progress: { done: 1, total: 2 }, problem: PROBLEM });
    const started = await start(jobOf(key));
    expect(started).toMatchObject({ attempt: 1, lost: 0, failures: 0, doc: { state: 'reading' } });
    expect([started?.doc.progress, started?.doc.problem]).toEqual([undefined, undefined]);
    expect((await rig.stored(id)).reading).toEqual({ tries: 1, heartbeatAt: NOW, dueAt: LATER });
  });

  it.each(['storing', 'ready', 'failed'])(
    'does not start with a file that is %s',
    async (state) => {
      const { key } = await rig.insert({ state });
      expect(await start(jobOf(key))).toBeNull();
    },
  );

  it('does not start with a file of another user', async () => {
    for (const fields of [{}, READING]) {
      const { id } = await rig.insert(fields);
      expect(await start(jobOf({ id, ownerId: newId() }))).toBeNull();
    }
  });

  const CHANGES: [string, (run: { key: Key; attempt: number }) => Promise<unknown>][] = [
    ['a heartbeat', (run) => rig.readings.tasks.heartbeat(run, { now: NOW, dueAt: LATER })],
    ['an end', (run) => rig.readings.tasks.end(run, ready(RESULT))],
    [
      'a return',
      (run) => rig.readings.tasks.putBack(run, { dueAt: LATER, isFailure: true }, waitingAgain),
    ],
  ];
  it.each(CHANGES)(
    'changes nothing by %s for another user, or once it has ended',
    async (_, change) => {
      const other = await rig.insert(READING);
      const ended = await rig.insert({ ...READING, state: 'ready' });
      const before = [await rig.stored(other.id), await rig.stored(ended.id)];
      expect(
        await change({ key: jobOf({ id: other.id, ownerId: newId() }), attempt: 2 }),
      ).toBeNull();
      expect(await change({ key: jobOf(ended.key), attempt: 2 })).toBeNull();
      expect([await rig.stored(other.id), await rig.stored(ended.id)]).toEqual(before);
    },
  );

  it('stores progress with a heartbeat, and keeps it with the next one', async () => {
    const { id, key } = await rig.insert(READING);
    const run = { key: jobOf(key), attempt: 2 };
    const progress = { done: 1, total: 2 };
    const at = { now: NOW, dueAt: LATER };
    expect(await rig.readings.tasks.heartbeat(run, at, progressed(progress))).toMatchObject({
      progress,
    });
    await rig.readings.tasks.heartbeat(run, at);
    expect(await rig.stored(id)).toMatchObject({ progress, reading: { dueAt: LATER } });
  });

  it.each([
    ['what it has read', ready(RESULT), { state: 'ready', ...RESULT }],
    [
      'why a file cannot be read',
      unreadable({ problem: PROBLEM, hasThumbnail: true }),
      { state: 'failed', problem: PROBLEM, hasThumbnail: true },
    ],
  ])('stores %s', async (_, change, stored) => {
    const { id, key } = await rig.insert({ ...READING, progress: { done: 1, total: 2 } });
    const file = await rig.readings.tasks.end({ key: jobOf(key), attempt: 2 }, change);
    expect(file).toMatchObject({ id, ...stored });
    expect(file?.progress).toBeUndefined();
    expect((await rig.stored(id)).reading).toEqual({ tries: 2, lost: 0, faults: 0 });
  });

  it('puts a file back, and counts a fault only when it is one', async () => {
    const { id, key } = await rig.insert({ ...READING, progress: { done: 1, total: 2 } });
    const putBack = (attempt: number, isFailure: boolean) =>
      rig.readings.tasks.putBack(
        { key: jobOf(key), attempt },
        { dueAt: LATER, isFailure },
        waitingAgain,
      );
    await putBack(2, true);
    const stored = await rig.stored(id);
    expect(stored).toMatchObject({ state: 'waiting', reading: { faults: 1, dueAt: LATER } });
    expect(stored.progress).toBeUndefined();
    await start(jobOf(key));
    await putBack(3, false);
    expect((await rig.stored(id)).reading).toMatchObject({ tries: 3, faults: 1 });
  });

  it('of an earlier version, which has no heartbeat, is followed by another one', async () => {
    const { key } = await rig.insert({ ...READING, reading: { tries: 2, lost: 1, dueAt: NOW } });
    expect(await start(jobOf(key))).toMatchObject({ attempt: 3, lost: 1 });
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

  it('count the files of a user that are not read yet', async () => {
    const ownerId = newId();
    const states = ['storing', 'waiting', 'reading', 'ready', 'failed'];
    const inserted = await Promise.all(states.map((state) => rig.insert({ state, ownerId })));
    const fileIds = inserted.map(({ id }) => id);
    const count = (changes: object = {}) =>
      rig.readings.countUnfinished({ ownerId, fileIds, kinds: ['pdf'], ...changes });
    expect(await count()).toBe(3);
    expect(await count({ fileIds: fileIds.slice(0, 1) })).toBe(1);
    expect(await count({ ownerId: newId() })).toBe(0);
  });

  it('count files without text while it is recognised, of some kinds', async () => {
    const ownerId = newId();
    const scan = { ownerId, state: 'ready', textBytes: 0, recognition: { isPending: true } };
    const inserted = await Promise.all([
      rig.insert(scan),
      rig.insert({ ...scan, textBytes: 1 }),
      rig.insert({ ...scan, kind: 'image' }),
      rig.insert({ ...scan, recognition: {} }),
    ]);
    const fileIds = inserted.map(({ id }) => id);
    const count = (kinds: FileKind[]) => rig.readings.countUnfinished({ ownerId, fileIds, kinds });
    expect(await count(['pdf'])).toBe(1);
    expect(await count(['pdf', 'image'])).toBe(2);
  });

  it('find overdue files, and files that never had a job', async () => {
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
    const found = await rig.readings.tasks.findDue({ now: NOW, limit: 1_000 });
    const ids = new Set(found.map(({ fileId }) => fileId));
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
});
