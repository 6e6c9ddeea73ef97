import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll } from 'vitest';
import { testFileReader } from '../../test/file-reader.ts';
import type { FileReader, PageRect } from './port.ts';

/** A folder for the test file, and functions that read files in it. */
export function createFiles(reader: FileReader = testFileReader()) {
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

/** The share of dark pixels in a part of a picture. */
export async function darkness(
  picture: Buffer,
  { left, top, width, height }: PageRect,
): Promise<number> {
  const size = await sharp(picture).metadata();
  const { data } = await sharp(picture)
    .extract({
      left: Math.floor(left * size.width),
      top: Math.floor(top * size.height),
      width: Math.max(1, Math.ceil(width * size.width)),
      height: Math.max(1, Math.ceil(height * size.height)),
    })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return data.filter((value) => value < 128).length / data.length;
}
