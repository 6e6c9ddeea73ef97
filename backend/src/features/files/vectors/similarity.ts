import type { Embedder } from '../../../llm/index.ts';
import type { Log } from '../../../log.ts';
import type { FileKey } from '../library/records-model.ts';
import { cosinesOf } from './file-vectors.ts';
import type { VectorStore } from './vector-store.ts';

/** The reply waits for it. */
const QUESTION_TIMEOUT_MS = 1_500;
/** After a failure the provider is left alone for so long, so that replies do not wait for it one by one. */
const REST_MS = 30_000;

/**
 * How similar a question is to the passages of files: the cosines with the passages of each file, null for a file whose vectors
 * are not there (yet).
 * @returns null when the question has no vector: passages are found by their words alone then
 * @throws the signal's reason
 */
export type SimilaritiesOf = (input: {
  question: string;
  files: readonly FileKey[];
  signal: AbortSignal;
}) => Promise<(Float64Array | null)[] | null>;

interface SimilarityDeps {
  embedder: Embedder;
  vectors: Pick<VectorStore, 'find'>;
  /** Lets the vectors of a file be computed. */
  enqueue: (file: FileKey) => Promise<void>;
  now: () => Date;
  log: Pick<Log, 'warn'>;
}

export function createSimilarities(deps: SimilarityDeps): SimilaritiesOf {
  const { embedder, vectors, enqueue, now, log } = deps;
  let restsUntil = 0;

  const vectorOf = async (question: string, signal: AbortSignal): Promise<Float32Array | null> => {
    if (now().getTime() < restsUntil) return null;
    try {
      const timeout = AbortSignal.timeout(QUESTION_TIMEOUT_MS);
      const [vector] = await embedder.embed([question], AbortSignal.any([signal, timeout]));
      return vector ?? null;
    } catch (error) {
      signal.throwIfAborted();
      restsUntil = now().getTime() + REST_MS;
      log.warn({ err: error }, 'passages are found by words alone: a question got no vector');
      return null;
    }
  };

  const vectorsOf = async (file: FileKey) => {
    try {
      const found = await vectors.find(file);
      if (!found) void enqueue(file);
      return found;
    } catch (error) {
      log.warn({ err: error, fileId: file.id }, 'the vectors of a file are unavailable');
      return null;
    }
  };

  return async ({ question, files, signal }) => {
    const asking = vectorOf(question, signal);
    asking.catch(() => undefined);
    const cosines: (Float64Array | null)[] = [];
    // One file after the other: the vectors of many long files at once would not fit in memory.
    for (const file of files) {
      const [found, vector] = [await vectorsOf(file), await asking];
      cosines.push(found && vector && cosinesOf(found, vector));
    }
    return (await asking) && cosines;
  };
}
