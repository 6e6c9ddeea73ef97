import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import { type Connection, connectMongo, createIndexes } from '../../db/mongo.ts';
import { createTaskQueue, createTaskSweep, SWEEP_AFTER_MS } from '../../jobs/durable.ts';
import { createLog } from '../../log.ts';
import type { ExportEntry } from '../export-entry.ts';
import { createArchive } from './archive.ts';
import { createExportStore, defineExportModel, type ExportStore } from './export-model.ts';
import { eraseExpired, exportPath, exportRunner } from './exporting.ts';
import { requestExport } from './exports.ts';
import { exportJob } from './feature.ts';

let connection: Connection;
let exports: ExportStore;
let owners = 0;
const START = new Date('2026-11-22T10:00:00Z');

beforeAll(async () => {
  connection = await connectMongo(ownDatabase());
  exports = createExportStore(defineExportModel(connection));
  await createIndexes(connection);
  return () => connection.close();
});

const newKey = () => {
  owners += 1;
  return { ownerId: owners.toString(16).padStart(24, '0'), exportId: `export-${owners}` };
};
const DUE = new Date(START.getTime() + SWEEP_AFTER_MS);
const begin = (key: ReturnType<typeof newKey>, formerId?: string) =>
  exports.begin(key, { formerId, now: START, dueAt: DUE });
const log = createLog({ level: 'silent', name: 'test' });
const entry = (path: string, text = 'text'): ExportEntry => ({
  path,
  open: async () => Readable.from([text]),
});

/** A queue whose jobs exist without a queue entry, so that none is added before it is removed. */
function halfLost(added: string[]) {
  const removed = new Set<string>();
  return {
    add: async (id: string) => void (removed.has(id) && added.push(id)),
    canRun: async () => false,
    remove: async (id: string) => void removed.add(id),
  };
}

const queueOf = (producer: ReturnType<typeof halfLost>) =>
  createTaskQueue(exportJob, { producer, idOf: ({ exportId }) => exportId, log });

/** An object store in memory. */
function setup(entries: readonly ExportEntry[], now = START) {
  const written = new Map<string, Buffer>();
  const published: string[] = [];
  const privacy = {
    exports,
    now: () => now,
    log,
    exportQueue: queueOf(halfLost([])),
    bus: { publish: async (_: string, event: string) => void published.push(event) },
    objects: {
      writeStream: async (key: string, body: Readable) => void written.set(key, await buffer(body)),
      head: async (key: string) => ({ size: written.get(key)?.length ?? 0, etag: '' }),
      remove: async (key: string) => void written.delete(key),
    },
  };
  const exportUser = async function* all() {
    yield* entries;
  };
  return { ...exportRunner(privacy, exportUser), privacy, written, published };
}

describe('an export', () => {
  it('ends as ready, for 24 hours', async () => {
    const key = newKey();
    await begin(key);
    const { run, written } = setup([entry('a.txt'), entry('b.txt')]);
    await run(key);
    expect(await exports.find(key.ownerId)).toMatchObject({
      state: 'ready',
      size: written.get(exportPath(key))?.length,
      expiresAt: new Date('2026-11-23T10:00:00Z'),
    });
    await run(key);
    expect(await begin({ ...key, exportId: 'next' }, key.exportId)).not.toBeNull();
  });

  it('ends as failed when something cannot be read', async () => {
    const key = newKey();
    await begin(key);
    const open = async () => Promise.reject(new Error('Unreachable'));
    await setup([entry('a.txt'), { path: 'b.txt', open }]).run(key);
    expect(await exports.find(key.ownerId)).toMatchObject({ state: 'failed' });
  });

  it('of an account that is erased meanwhile leaves nothing', async () => {
    const key = newKey();
    await begin(key);
    const open = async () => {
      await exports.removeAllOf(key.ownerId);
      return Readable.from(['text']);
    };
    const { run, written } = setup([{ path: 'a.txt', open }]);
    await run(key);
    expect([...written.keys()]).toEqual([]);
    expect(await exports.find(key.ownerId)).toBeNull();
  });

  it('that is no longer wanted is not made', async () => {
    const key = newKey();
    const { run, written } = setup([entry('a.txt')]);
    await run(key);
    expect([...written.keys()]).toEqual([]);
  });

  it('is one at a time', async () => {
    const key = newKey();
    const ids = ['one', 'two', 'three'];
    const begun = await Promise.all(ids.map((exportId) => begin({ ...key, exportId })));
    expect(begun.filter((record) => record !== null)).toHaveLength(1);
  });

  // Nothing would find the object of an export whose record was replaced.
  it('is not replaced by a request that has read an earlier state', async () => {
    const key = newKey();
    await begin(key);
    const { run, privacy, written } = setup([entry('a.txt')]);
    const request = async (changed: object) =>
      (
        await requestExport({ ...privacy, newExportId: () => 'new', ...changed } as never, {
          userId: key.ownerId,
        })
      ).id;

    const find = async (ownerId: string) => {
      const found = await exports.find(ownerId);
      await run(key);
      return found;
    };
    expect(await request({ exports: { ...exports, find } })).toBe(key.exportId);
    expect(written.has(exportPath(key))).toBe(true);

    const next = { ...key, exportId: 'next' };
    const remove = async (path: string) => {
      await privacy.objects.remove(path);
      if (await begin(next, key.exportId)) await run(next);
    };
    expect(await request({ objects: { ...privacy.objects, remove } })).toBe('next');
    expect([...written.keys()]).toEqual([exportPath(next)]);
  });

  it('is enqueued again when its worker is lost, and erased when it has expired', async () => {
    const [lost, expired] = [newKey(), newKey()];
    await begin(lost);
    await begin(expired);
    const { run, written, privacy } = setup([entry('a.txt')]);
    await run(expired);
    const added: string[] = [];
    const sweepAt = async (at: Date) => {
      const now = () => at;
      await createTaskSweep({ tasks: exports.tasks, queue: queueOf(halfLost(added)), now })();
      await eraseExpired({ ...privacy, now });
    };
    await sweepAt(new Date(DUE.getTime() - 1));
    expect(added).toEqual([]);
    expect(written.has(exportPath(expired))).toBe(true);
    await sweepAt(new Date(START.getTime() + 25 * 3_600_000));
    expect(added).toContain(lost.exportId);
    expect(written.has(exportPath(expired))).toBe(false);
    expect(await exports.find(expired.ownerId)).toBeNull();
  });
});

it('an export that an earlier version began is found by the sweep, and made', async () => {
  const key = newKey();
  await begin(key);
  const former = { state: 'running', touchedAt: START, runs: 2 };
  await connection
    .collection('data_exports')
    .updateOne({ exportId: key.exportId }, { $set: former, $unset: { dueAt: 1 } });
  const added: string[] = [];
  const queue = queueOf(halfLost(added));
  await createTaskSweep({ tasks: exports.tasks, queue, now: () => START })();
  expect(added).toContain(key.exportId);
  await setup([entry('a.txt')]).run(key);
  expect(await exports.find(key.ownerId)).toMatchObject({ state: 'ready' });
});

describe('an export that ends its worker', () => {
  /** After the leases of these lost workers have ended. */
  const afterLosses = (lost: number) => new Date(START.getTime() + lost * 60_000);

  /** A worker that stops in the middle; its clock stands still. */
  const die = (key: ReturnType<typeof newKey>, at: Date) => {
    let begun = () => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { run } = setup([{ path: 'a.txt', open: () => new Promise(() => begun()) }], at);
    run(key).catch(() => undefined);
    return started;
  };

  it('is given up after three lost workers, and the user can begin another one', async () => {
    const key = newKey();
    await begin(key);
    for (let lost = 1; lost <= 3; lost += 1) {
      await die(key, afterLosses(lost));
      expect(await exports.find(key.ownerId)).toMatchObject({ state: 'running', attempt: lost });
    }
    let opened = 0;
    const open = async () => {
      opened += 1;
      return Readable.from(['text']);
    };
    const { run, published } = setup([{ path: 'a.txt', open }], afterLosses(4));
    await run(key);
    expect(await exports.find(key.ownerId)).toMatchObject({ state: 'failed' });
    expect([opened, published]).toEqual([0, ['export:changed']]);

    const next = { ...key, exportId: 'next' };
    expect(await begin(next, key.exportId)).not.toBeNull();
    await setup([entry('a.txt')]).run(next);
    expect(await exports.find(key.ownerId)).toMatchObject({ state: 'ready' });
  });

  it('ends as ready when a later attempt succeeds', async () => {
    const key = newKey();
    await begin(key);
    for (const lost of [1, 2]) await die(key, afterLosses(lost));
    await setup([entry('a.txt')], afterLosses(3)).run(key);
    expect(await exports.find(key.ownerId)).toMatchObject({ state: 'ready' });
  });
});

it('an export that was begun meanwhile stays when the expired one is removed', async () => {
  const key = newKey();
  await begin(key);
  await exports.remove({ ...key, exportId: 'the expired one' });
  expect(await exports.find(key.ownerId)).toMatchObject({ exportId: key.exportId });
});

it('an export that cannot be erased does not block others', async () => {
  const [bad, ...others] = [newKey(), newKey(), newKey()];
  for (const key of [bad, ...others]) await begin(key);
  const { run, privacy, written } = setup([entry('a.txt')]);
  for (const key of [bad, ...others]) await run(key);
  const remove = async (key: string) => {
    if (key === exportPath(bad)) throw new Error('The store refuses.');
    written.delete(key);
  };
  const now = () => new Date(START.getTime() + 25 * 3_600_000);
  const sweep = eraseExpired({ ...privacy, objects: { remove }, now });
  await expect(sweep).rejects.toThrow(AggregateError);
  const left = await Promise.all(others.map(({ ownerId }) => exports.find(ownerId)));
  expect(left).toEqual([null, null]);
  expect(await exports.find(bad.ownerId)).not.toBeNull();
});

it('an archive has each name once, and no path that leads out of it', async () => {
  const entries = ['a.txt', 'A.txt', '../../b.txt', 'c:d?.txt', '/e.txt'].map((path) =>
    entry(path),
  );
  const zip = await buffer(createArchive(entries, () => undefined).stream);
  for (const name of ['a.txt', 'A (2).txt', '_/_/b.txt', 'c_d_.txt', '_/e.txt'])
    expect(zip.includes(name)).toBe(true);
});

it('numbers equal names, however many there are', async () => {
  const entries = ['a.txt', 'a (2).txt', 'a.txt', 'a.txt'].map((path) => entry(path));
  const zip = await buffer(createArchive(entries, () => undefined).stream);
  for (const name of ['a.txt', 'a (2).txt', 'a (3).txt', 'a (4).txt'])
    expect(zip.includes(name)).toBe(true);
  const many = Array.from({ length: 50_000 }, () => entry('a.txt'));
  createArchive(many, () => undefined).stream.destroy();
});
