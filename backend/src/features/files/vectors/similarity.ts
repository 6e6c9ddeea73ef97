import type { FileKey } from '../library/records-model.ts';
import { PASSAGE_LENGTH } from '../retrieval/passages.ts';
import { cosinesOf } from './file-vectors.ts';
import { enqueueVectors, type WithVectors } from './queue.ts';
import { findVectors } from './stored.ts';

/** Short, because the reply waits for it. */
const QUESTION_TIMEOUT_MS = 1_500;
/** After a failure the provider is not called for this long, so that not every reply waits for it. */
const PAUSE_MS = 30_000;

type Comparing = WithVectors<'texts' | 'objects' | 'now' | 'log'>;

interface Question {
  question: string;
  files: readonly FileKey[];
  signal: AbortSignal;
}

/**
 * The similarity of a question to the passages of files: cosines for each file, null for a file without vectors.
 * @returns null when the question has no vector: passages are then found by their words alone
 * @throws the signal's reason
 */
export async function similaritiesOf(
  files: Comparing,
  { question, files: searched, signal }: Question,
): Promise<(Float64Array | null)[] | null> {
  const asking = vectorOf(files, question, signal);
  asking.catch(() => undefined);
  const cosines: (Float64Array | null)[] = [];
  // Sequential: the vectors of many long files at once would not fit in memory.
  for (const file of searched) {
    const [found, vector] = [await vectorsOf(files, file), await asking];
    cosines.push(found && vector && cosinesOf(found, vector));
  }
  return (await asking) && cosines;
}

async function vectorOf(
  { vectors, now, log }: Comparing,
  question: string,
  signal: AbortSignal,
): Promise<Float32Array | null> {
  if (now().getTime() < vectors.pausedUntil) return null;
  try {
    const timeout = AbortSignal.timeout(QUESTION_TIMEOUT_MS);
    const text = withoutMiddle(question);
    const [vector] = await vectors.embedder.embed([text], AbortSignal.any([signal, timeout]));
    return vector ?? null;
  } catch (error) {
    signal.throwIfAborted();
    vectors.pausedUntil = now().getTime() + PAUSE_MS;
    log.warn({ err: error }, 'question has no vector, searching by words only');
    return null;
  }
}

/**
 * A text as long as a passage: providers refuse longer ones. The question is usually at the beginning or the end. Half a surrogate pair is
 * not text.
 */
function withoutMiddle(text: string): string {
  if (text.length <= PASSAGE_LENGTH) return text;
  const head = text.slice(0, PASSAGE_LENGTH / 2).replace(/[\uD800-\uDBFF]$/, '');
  return `${head}\n${text.slice(-PASSAGE_LENGTH / 2).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

async function vectorsOf(files: Comparing, file: FileKey) {
  try {
    const found = await findVectors(files, file);
    if (!found) void enqueueVectors(files, file);
    return found;
  } catch (error) {
    files.log.warn({ err: error, fileId: file.id }, 'vectors of file unavailable');
    return null;
  }
}
