import { type JobRun, runJob } from '../../../jobs/worker.ts';
import type { Embedder } from '../../../llm/index.ts';
import type { ReadPage } from '../../../reading/index.ts';
import type { FilesFeature } from '../feature.ts';
import { type FileRecord, filePrefix } from '../library/file-record.ts';
import type { FileIndex } from '../retrieval/file-index.ts';
import { type VectorsJob, vectorsJob } from './job.ts';
import type { WithVectors } from './queue.ts';
import { findVectors, indexOf, saveVectors } from './stored.ts';

/** Passages per request; many servers accept no more. They have at most 51,200 characters. */
const BATCH = 32;
const REQUEST_TIMEOUT_MS = 30_000;

type Computing = WithVectors<'records' | 'objects' | 'texts'>;

/** The jobs of a worker that computes vectors; none without an embedding model. */
export function vectorsJobs({ vectors, ...files }: FilesFeature): JobRun[] {
  if (!vectors) return [];
  const stopping = new AbortController();
  const run = (job: VectorsJob) => runVectorsJob({ ...files, vectors }, job, stopping.signal);
  // Ends every request; other workers start again.
  const releaseAll = () => stopping.abort(new Error('The worker stops.'));
  return [runJob(vectorsJob, run, { releaseAll })];
}

/**
 * Computes the vectors of one file. They follow from text and model alone, so several workers store the same. Nothing happens when the
 * vectors exist, the file does not exist, or this worker has another model.
 * @throws ProviderError when the provider fails, and the errors of the store
 */
export async function runVectorsJob(
  files: Computing,
  { fileId: id, ownerId, model }: VectorsJob,
  stop: AbortSignal,
): Promise<void> {
  const { records, vectors } = files;
  const file = model === vectors.embedder.model ? await records.find({ id, ownerId }) : null;
  if (file?.state !== 'ready') return;
  try {
    await compute(files, file, stop);
  } catch (error) {
    if (await records.find(file)) throw error;
  }
}

async function compute(files: Computing, file: FileRecord, stop: AbortSignal): Promise<void> {
  const { texts, records, objects, vectors } = files;
  if (await findVectors(files, file)) return;
  const index = await indexOf(files, file);
  if (index.passages.length === 0) return;
  const passages = textsOf(index, await texts.pagesOf(file));
  await saveVectors(files, file, {
    index,
    vectors: await embedAll(vectors.embedder, passages, stop),
  });
  // A file that was deleted meanwhile must leave no objects.
  if (!(await records.find(file))) await objects.removeAll(filePrefix(file));
}

async function embedAll(
  embedder: Embedder,
  passages: readonly string[],
  stop: AbortSignal,
): Promise<Float32Array[]> {
  const all: Float32Array[] = [];
  for (let at = 0; at < passages.length; at += BATCH) {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    all.push(...(await embedder.embed(passages.slice(at, at + BATCH), signal)));
  }
  return all;
}

function textsOf({ passages }: FileIndex, pages: readonly ReadPage[]): string[] {
  const texts = new Map(pages.map(({ n, text }) => [n, text]));
  return passages.map(({ page, start, end }) => texts.get(page)?.slice(start, end) ?? '');
}
