import type { OpenAI } from 'openai';
import { createNodeFetch } from './event-stream.ts';
import { toFailure } from './openai-errors.ts';
import { clientOf, type ServerAddress } from './openai-request.ts';
import type { Embedder } from './port.ts';

/** Of an answer: a request has up to 32 texts, and a vector of 4,096 numbers has up to 100 KB. */
const MAX_BYTES = 8 * 1_024 * 1_024;

interface EmbedderOptions extends ServerAddress {
  model: string;
}

/** Calls the embeddings endpoint of any OpenAI-compatible API, without retries. */
export function createOpenAiEmbedder({ model, ...server }: EmbedderOptions): Embedder {
  const client = clientOf(server, { fetch: createNodeFetch(MAX_BYTES) });
  return {
    model,
    embed: async (texts, signal) => {
      try {
        // The SDK's default is base64, which few servers besides OpenAI's support.
        const body = { model, input: [...texts], encoding_format: 'float' as const };
        const { data } = await client.embeddings.create(body, { signal });
        return vectorsIn(data, texts.length);
      } catch (thrown) {
        signal.throwIfAborted();
        throw toFailure(thrown, Date.now).error;
      }
    },
  };
}

/** @throws SyntaxError unless there is one vector per text, all of the same length */
function vectorsIn(data: unknown, count: number): Float32Array[] {
  const entries = (Array.isArray(data) ? data : []) as Partial<OpenAI.Embedding>[];
  const inOrder = entries.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
  const vectors = inOrder.map(({ embedding }) =>
    Float32Array.from(Array.isArray(embedding) ? embedding : []),
  );
  const length = vectors[0]?.length ?? 0;
  const fits = (vector: Float32Array) => vector.length === length && vector.every(Number.isFinite);
  if (vectors.length !== count || length === 0 || !vectors.every(fits))
    throw new SyntaxError('The provider did not answer one vector for each text.');
  return vectors;
}
