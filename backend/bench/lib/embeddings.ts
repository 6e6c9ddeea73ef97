import type { FileIndex } from '../../src/features/files/retrieval/file-index.ts';
import {
  cosinesOf,
  decodeVectors,
  encodeVectors,
  type FileVectors,
} from '../../src/features/files/vectors/file-vectors.ts';
import { createOpenAiEmbedder } from '../../src/llm/index.ts';
import type { ReadPage } from '../../src/reading/index.ts';

/** Texts per request. */
const BATCH = 32;
const TIMEOUT_MS = 60_000;

/**
 * The similarity of questions to the passages of files, by the model of EMBEDDING_MODEL, EMBEDDING_BASE_URL and EMBEDDING_API_KEY. Each
 * file and question is embedded once.
 * @returns undefined when none is set
 */
export function createSimilarities() {
  const { EMBEDDING_MODEL: model, EMBEDDING_BASE_URL: baseUrl, EMBEDDING_API_KEY } = process.env;
  if (!model || !baseUrl) return undefined;
  const embedder = createOpenAiEmbedder({ model, baseUrl, apiKey: EMBEDDING_API_KEY ?? 'none' });
  const embed = async (texts: string[]) => {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += BATCH) {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      vectors.push(...(await embedder.embed(texts.slice(at, at + BATCH), signal)));
    }
    return vectors;
  };
  const ofFiles = new Map<FileIndex, FileVectors | null>();
  const ofQuestions = new Map<string, Float32Array | undefined>();
  return async (question: string, index: FileIndex, pages: readonly ReadPage[]) => {
    if (!ofFiles.has(index)) {
      const texts = new Map(pages.map(({ n, text }) => [n, text]));
      const passages = index.passages.map(
        ({ page, start, end }) => texts.get(page)?.slice(start, end) ?? '',
      );
      ofFiles.set(index, decodeVectors(encodeVectors(await embed(passages), 'bench'), 'bench'));
    }
    if (!ofQuestions.has(question)) ofQuestions.set(question, (await embed([question]))[0]);
    const [vectors, vector] = [ofFiles.get(index), ofQuestions.get(question)];
    return vectors && vector ? cosinesOf(vectors, vector) : null;
  };
}
