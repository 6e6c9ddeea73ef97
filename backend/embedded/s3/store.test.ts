import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Bucket } from './bucket.ts';
import { Store } from './store.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'stolas-s3-'));
});
afterEach(() => rm(dir, { recursive: true }));

it('keeps no content of an object whose record could not be written', async () => {
  const content = path.join(dir, 'content');
  await writeFile(content, 'text');
  const nowhere = () => ({ path: path.join(dir, 'missing/record'), name: 'random' });
  const bucket = await Bucket.open(path.join(dir, 'bucket'), nowhere);
  const object = { key: 'a', size: 4, etag: 'e', headers: {}, checksums: {} };
  await expect(bucket.put(object, content)).rejects.toThrow('ENOENT');
  expect(await readdir(path.join(dir, 'bucket/data'))).toEqual([]);
});

it('closes and removes the temporary file of work that failed before it wrote', async () => {
  const store = await Store.open(dir);
  let used: Writable | undefined;
  const failing = store.withTemporary(async (_path, sink) => {
    used = sink;
    throw new Error('refused');
  });
  await expect(failing).rejects.toThrow('refused');
  expect(used?.closed).toBe(true);
  expect(await readdir(path.join(dir, 'tmp'))).toEqual([]);
});
