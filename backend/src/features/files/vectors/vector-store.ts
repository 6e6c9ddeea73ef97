import { buffer } from 'node:stream/consumers';
import { ObjectMissingError, type ObjectStore } from '../../../objects/index.ts';
import { vectorsKey } from '../library/file-record.ts';
import type { FileKey } from '../library/records-model.ts';
import type { FileTexts } from '../reading/index.ts';
import { type FileIndex, indexFile } from '../retrieval/file-index.ts';
import { decodeVectors, encodeVectors, type FileVectors, fingerprintOf } from './file-vectors.ts';

interface VectorStoreDeps {
  objects: Pick<ObjectStore, 'read' | 'write'>;
  texts: Pick<FileTexts, 'derived'>;
  /** The embedding model: each has vectors of its own. */
  model: string;
}

/** The vectors of files by one model, stored beside their text. */
export type VectorStore = ReturnType<typeof createVectorStore>;

export function createVectorStore({ objects, texts, model }: VectorStoreDeps) {
  const indexOf = (file: FileKey): Promise<FileIndex> => texts.derived(file, 'search', indexFile);

  const load = async (file: FileKey): Promise<FileVectors> => {
    const stored = await buffer(await objects.read(vectorsKey(file, model)));
    const vectors = decodeVectors(stored, fingerprintOf(await indexOf(file)));
    if (!vectors) throw new ObjectMissingError('The vectors are those of an earlier text.');
    return vectors;
  };

  return {
    indexOf,

    /**
     * The vectors of a file's passages, kept in memory with its text.
     * @returns null when they are not computed yet
     */
    find: async (file: FileKey): Promise<FileVectors | null> => {
      try {
        return await texts.derived(file, `vectors ${model}`, () => load(file));
      } catch (error) {
        if (error instanceof ObjectMissingError) return null;
        throw error;
      }
    },

    /** Stores the vectors that were computed from the passages of `index`. */
    save: async (
      file: FileKey,
      index: FileIndex,
      vectors: readonly Float32Array[],
    ): Promise<void> => {
      const body = encodeVectors(vectors, fingerprintOf(index));
      await objects.write(vectorsKey(file, model), body, { type: 'application/octet-stream' });
    },
  };
}
