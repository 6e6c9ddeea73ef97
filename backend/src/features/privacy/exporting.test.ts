import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import { type Connection, connectMongo, createIndexes } from '../../db/mongo.ts';
import { createLog } from '../../log.ts';
import type { ExportEntry } from '../export-entry.ts';
import { createArchive } from './archive.ts';
import { createExportStore, defineExportModel, type ExportStore } from './export-model.ts';
import { createExporting, createExportSweep, exportPath } from './exporting.ts';

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
const entry = (path: string, text = 'text'): ExportEntry => ({
  path,
  open: async () => Readable.from([text]),
});

/** A queue whose jobs exist and cannot run, so that none is added before it is removed. */
function halfLost(added: string[]) {
  const removed = new Set<string>();
  return {
    add: async (id: string) => void (removed.has(id) && added.push(id)),
    canRun: async () => false,
    remove: async (id: string) => void removed.add(id),
  };
}

/** A store of objects in memory. */
function setup(entries: readonly ExportEntry[], now = START) {
  const written = new Map<string, Buffer>();
  const told: string[] = [];
  const deps = {
    exports,
    now: () => now,
    log: createLog({ level: 'silent', name: 'test' }),
    bus: { publish: async (_: string, event: string) => void told.push(event) },
    objects: {
      writeStream: async (key: string, body: Readable) => void written.set(key, await buffer(body)),
      head: async (key: string) => ({ size: written.get(key)?.length ?? 0, etag: '' }),
      remove: async (key: string) => void written.delete(key),
    },
    exportUser: async function* all() {
      yield* entries;
    },
  };
  return { ...createExporting(deps), deps, written, told };
}

describe('an export', () => {
  it('ends as ready, for 24 hours', async () => {
    const key = newKey();
    await exports.begin(key, START);
    const { run, written } = setup([entry('a.txt'), entry('b.txt')]);
    await run(key);
    expect(await exports.find(key.ownerId)).toMatchObject({
      state: 'ready',
      size: written.get(exportPath(key))?.length,
      expiresAt: new Date('2026-11-23T10:00:00Z'),
    });
    await run(key);
    expect(await exports.begin({ ...key, exportId: 'next' }, START)).not.toBeNull();
  });

  it('ends as failed when something cannot be read', async () => {
    const key = newKey();
    await exports.begin(key, START);
    const open = async () => Promise.reject(new Error('Unreachable'));
    await setup([entry('a.txt'), { path: 'b.txt', open }]).run(key);
    expect(await exports.find(key.ownerId)).toMatchObject({ state: 'failed' });
  });

  it('of an account that is erased meanwhile leaves nothing', async () => {
    const key = newKey();
    await exports.begin(key, START);
    const open = async () => {
      await exports.removeAllOf(key.ownerId);
      return Readable.from(['text']);
    };
    const { run, written } = setup([{ path: 'a.txt', open }]);
    await run(key);
    expect([...written.keys()]).toEqual([]);
    expect(await exports.find(key.ownerId)).toBeNull();
  });

  it('that is not wanted any more is not made', async () => {
    const key = newKey();
    const { run, written } = setup([entry('a.txt')]);
    await run(key);
    expect([...written.keys()]).toEqual([]);
  });

  it('is one at a time', async () => {
    const key = newKey();
    const ids = ['one', 'two', 'three'];
    const begun = await Promise.all(
      ids.map((exportId) => exports.begin({ ...key, exportId }, START)),
    );
    expect(begun.filter((record) => record !== null)).toHaveLength(1);
  });

  it('is enqueued again when its worker is lost, and erased when it has expired', async () => {
    const [lost, expired] = [newKey(), newKey()];
    await exports.begin(lost, START);
    await exports.begin(expired, START);
    const { run, written, deps } = setup([entry('a.txt')]);
    await run(expired);
    const added: string[] = [];
    const producer = halfLost(added);
    const sweepAt = (now: Date) => createExportSweep({ ...deps, producer, now: () => now })();
    await sweepAt(new Date(START.getTime() + 60_000));
    expect(added).toEqual([]);
    expect(written.has(exportPath(expired))).toBe(true);
    await sweepAt(new Date(START.getTime() + 25 * 3_600_000));
    expect(added).toContain(lost.exportId);
    expect(written.has(exportPath(expired))).toBe(false);
    expect(await exports.find(expired.ownerId)).toBeNull();
  });
});

describe('an export that ends its worker', () => {
  /** A worker that dies in the middle. */
  const die = (key: ReturnType<typeof newKey>) => {
    let begun = () => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { run } = setup([{ path: 'a.txt', open: () => new Promise(() => begun()) }]);
    // It shows that it goes on until the test's connection ends.
    run(key).catch(() => undefined);
    return started;
  };

  it('is given up after three lost runs, and the user can begin another one', async () => {
    const key = newKey();
    await exports.begin(key, START);
    for (let lost = 1; lost <= 3; lost += 1) {
      await die(key);
      expect(await exports.find(key.ownerId)).toMatchObject({ state: 'running', runs: lost });
    }
    let opened = 0;
    const open = async () => {
      opened += 1;
      return Readable.from(['text']);
    };
    const { run, told } = setup([{ path: 'a.txt', open }]);
    await run(key);
    expect(await exports.find(key.ownerId)).toMatchObject({ state: 'failed' });
    expect([opened, told]).toEqual([0, ['export:changed']]);

    const next = { ...key, exportId: 'next' };
    expect(await exports.begin(next, START)).not.toBeNull();
    await setup([entry('a.txt')]).run(next);
    expect(await exports.find(key.ownerId)).toMatchObject({ state: 'ready' });
  });

  it('ends as ready when a later run is whole', async () => {
    const key = newKey();
    await exports.begin(key, START);
    await die(key);
    await die(key);
    await setup([entry('a.txt')]).run(key);
    expect(await exports.find(key.ownerId)).toMatchObject({ state: 'ready' });
  });
});

it('an export that cannot be enqueued, or not be erased, holds up no other one', async () => {
  const [lost, bad, ...others] = [newKey(), newKey(), newKey(), newKey()];
  for (const key of [lost, bad, ...others]) await exports.begin(key, START);
  const { run, deps, written } = setup([entry('a.txt')]);
  for (const key of [bad, ...others]) await run(key);
  const producer = { ...halfLost([]), canRun: async () => Promise.reject(new Error('No answer.')) };
  const remove = async (key: string) => {
    if (key === exportPath(bad)) throw new Error('The store refuses.');
    written.delete(key);
  };
  const now = () => new Date(START.getTime() + 25 * 3_600_000);
  const sweep = createExportSweep({ ...deps, objects: { remove }, producer, now });
  await expect(sweep()).rejects.toThrow(AggregateError);
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
