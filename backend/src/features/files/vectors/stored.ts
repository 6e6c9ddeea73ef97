import { buffer } from 'node:stream/consumers';
import { ObjectMissingError } from '../../../objects/index.ts';
import type { FilesFeature } from '../feature.ts';
import { vectorsKey } from '../library/file-record.ts';
import type { FileKey } from '../library/records-model.ts';
import { type FileIndex, indexFile } from '../retrieval/file-index.ts';
import { decodeVectors, encodeVectors, type FileVectors, fingerprintOf } from './file-vectors.ts';
import type { WithVectors } from './queue.ts';

// The vectors of a file by one model are stored beside its text.

export const indexOf = (
  { texts }: Pick<FilesFeature, 'texts'>,
  file: FileKey,
): Promise<FileIndex> => texts.derived(file, 'search', indexFile);

/**
 * The vectors of a file's passages, kept in memory with its text.
 * @returns null when they are not computed yet
 */
export async function findVectors(
  files: WithVectors<'texts' | 'objects'>,
  file: FileKey,
): Promise<FileVectors | null> {
  try {
    const { model } = files.vectors.embedder;
    return await files.texts.derived(file, `vectors ${model}`, () => load(files, file));
  } catch (error) {
    if (error instanceof ObjectMissingError) return null;
    throw error;
  }
}

async function load(files: WithVectors<'texts' | 'objects'>, file: FileKey): Promise<FileVectors> {
  const { objects, vectors } = files;
  const stored = await buffer(await objects.read(vectorsKey(file, vectors.embedder.model)));
  const decoded = decodeVectors(stored, fingerprintOf(await indexOf(files, file)));
  if (!decoded) throw new ObjectMissingError('The vectors are those of an earlier text.');
  return decoded;
}

/** Stores the vectors that were computed from the passages of `index`. */
export async function saveVectors(
  { objects, vectors: { embedder } }: WithVectors<'objects'>,
  file: FileKey,
  { index, vectors }: { index: FileIndex; vectors: readonly Float32Array[] },
): Promise<void> {
  const body = encodeVectors(vectors, fingerprintOf(index));
  const type = 'application/octet-stream';
  await objects.write(vectorsKey(file, embedder.model), body, { type });
}
