import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { makeZipBomb } from '../../../test/documents.ts';
import { makeZip, overlapEntries } from '../../../test/zip.ts';
import { checkZip } from './check-zip.ts';

/** The outcome of the check of an archive. */
async function codeOf(bytes: Buffer): Promise<unknown> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stolas-test-'));
  const file = path.join(folder, 'a.zip');
  try {
    await writeFile(file, bytes);
    await checkZip(file);
    return 'fine';
  } catch (error) {
    return (error as { code?: unknown }).code;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const parts = { 'a.xml': 'x'.repeat(10_000), 'b.xml': 'y'.repeat(10_000) };

it('passes an archive of moderate size', async () => {
  expect(await codeOf(await makeZip(parts))).toBe('fine');
});

it('refuses parts that unpack to more than 100 MB', async () => {
  expect(await codeOf(await makeZipBomb({ unpackedMb: 150 }))).toBe('too_complex');
});

it('refuses entries that share their bytes', async () => {
  expect(await codeOf(overlapEntries(await makeZip(parts)))).toBe('too_complex');
});

it('distinguishes a document with a password from a broken one', async () => {
  const compound = Buffer.from('d0cf11e0a1b11ae1', 'hex');
  const stream = Buffer.from('EncryptedPackage', 'utf16le');
  expect(await codeOf(Buffer.concat([compound, Buffer.alloc(512), stream]))).toBe('encrypted');
  expect(await codeOf(Buffer.from('no archive'))).toBe('damaged');
});
