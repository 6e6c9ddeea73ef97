import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, vi } from 'vitest';
import { testFileReader } from '../../test/file-reader.ts';
import type { FileReader } from './port.ts';

/** A folder for the test file, and functions that read files in it. */
export function createFiles(reader: FileReader = testFileReader()) {
  // The reading child has a low priority: on a busy machine it waits for everything else.
  vi.setConfig({ testTimeout: 120_000 });
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'stolas-reading-test-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function put(name: string, bytes: Uint8Array | string) {
    // A path is never reused, because a reader may still have a child for it.
    const file = path.join(await mkdtemp(path.join(folder, 'file-')), name);
    await writeFile(file, bytes);
    return { path: file, name };
  }

  return {
    reader,
    put,
    read: async (name: string, bytes: Uint8Array | string) => reader.read(await put(name, bytes)),
  };
}
