import type { JobRun } from '../../../jobs/worker.ts';
import { runJob } from '../../../jobs/worker.ts';
import type { Core } from '../../define-feature.ts';
import type { FileKey, FileStore } from '../library/records-model.ts';
import type { FileTexts } from '../reading/index.ts';
import { createVectorQueue, vectorsJob } from './job.ts';
import { createVectorRunner } from './runner.ts';
import { createSimilarities, type SimilaritiesOf } from './similarity.ts';
import { createVectorStore } from './vector-store.ts';

/** Search by meaning, beside that by words. */
export interface Vectors {
  /** Lets the vectors of a file that was read be computed. */
  enqueue: (file: FileKey) => Promise<void>;
  similaritiesOf: SimilaritiesOf;
  /** The jobs of a worker. */
  jobs: () => JobRun[];
}

/** @returns null without an embedding model: passages are found by their words */
export function createVectors(
  core: Pick<Core, 'embedder' | 'objects' | 'produce' | 'now' | 'log'>,
  { texts, find }: { texts: FileTexts; find: FileStore['find'] },
): Vectors | null {
  const { embedder } = core;
  if (!embedder) return null;
  const vectors = createVectorStore({ ...core, texts, model: embedder.model });
  const enqueue = createVectorQueue({
    ...core,
    producer: core.produce(vectorsJob),
    model: embedder.model,
  });
  return {
    enqueue,
    similaritiesOf: createSimilarities({ ...core, embedder, vectors, enqueue }),
    jobs: () => {
      const runner = createVectorRunner({ ...core, embedder, vectors, texts, find });
      return [runJob(vectorsJob, runner.run, { releaseAll: runner.releaseAll })];
    },
  };
}
