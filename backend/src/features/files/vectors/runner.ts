import type { Embedder } from '../../../llm/index.ts';
import type { ObjectStore } from '../../../objects/index.ts';
import type { ReadPage } from '../../../reading/index.ts';
import { type FileRecord, filePrefix } from '../library/file-record.ts';
import type { FileKey } from '../library/records-model.ts';
import type { FileTexts } from '../reading/index.ts';
import type { FileIndex } from '../retrieval/file-index.ts';
import type { VectorsJob } from './job.ts';
import type { VectorStore } from './vector-store.ts';

/** Passages of one request; many servers take no more. They have at most 51,200 characters. */
const BATCH = 32;
const REQUEST_TIMEOUT_MS = 30_000;

interface VectorRunnerDeps {
  embedder: Embedder;
  vectors: VectorStore;
  texts: Pick<FileTexts, 'pagesOf'>;
  objects: Pick<ObjectStore, 'removeAll'>;
  find: (file: FileKey) => Promise<FileRecord | null>;
}

/**
 * Computes the vectors of files: runs the jobs of a worker. They follow from text and model alone, so several workers that compute
 * them store the same.
 */
export function createVectorRunner({ embedder, vectors, texts, objects, find }: VectorRunnerDeps) {
  const stopping = new AbortController();

  const embedAll = async (passages: readonly string[]): Promise<Float32Array[]> => {
    const all: Float32Array[] = [];
    for (let at = 0; at < passages.length; at += BATCH) {
      const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
      const signal = AbortSignal.any([stopping.signal, timeout]);
      all.push(...(await embedder.embed(passages.slice(at, at + BATCH), signal)));
    }
    return all;
  };

  const compute = async (file: FileRecord): Promise<void> => {
    if (await vectors.find(file)) return;
    const index = await vectors.indexOf(file);
    if (index.passages.length === 0) return;
    const computed = await embedAll(textsOf(index, await texts.pagesOf(file)));
    await vectors.save(file, index, computed);
    // A file that was deleted meanwhile leaves nothing.
    if (!(await find(file))) await objects.removeAll(filePrefix(file));
  };

  return {
    /**
     * Runs one job. Nothing happens when the vectors exist, or the file does not, or this worker has another model.
     * @throws ProviderError when the provider does not deliver; what the store says
     */
    run: async ({ fileId: id, ownerId, model }: VectorsJob): Promise<void> => {
      const file = model === embedder.model ? await find({ id, ownerId }) : null;
      if (file?.state !== 'ready') return;
      try {
        await compute(file);
      } catch (error) {
        if (await find(file)) throw error;
      }
    },

    /** Ends every request; other workers begin again. */
    releaseAll: (): void => stopping.abort(new Error('The worker stops.')),
  };
}

function textsOf({ passages }: FileIndex, pages: readonly ReadPage[]): string[] {
  const texts = new Map(pages.map(({ n, text }) => [n, text]));
  return passages.map(({ page, start, end }) => texts.get(page)?.slice(start, end) ?? '');
}
