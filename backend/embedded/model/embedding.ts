import { createHash } from 'node:crypto';
import * as z from 'zod';
import { tokensOf } from './request.ts';

const DIMENSIONS = 256;
const MAX_INPUTS = 2_048;

/** The used part of OpenAI's 'create embeddings'. */
export const EmbeddingBody = z.object({
  model: z.string(),
  input: z.union([
    z.string().min(1),
    z.array(z.string().min(1, 'must not be empty')).min(1).max(MAX_INPUTS),
  ]),
  encoding_format: z.enum(['float', 'base64']).default('float'),
});

/** OpenAI's answer: one vector per text. */
export function embeddingsFor({
  model,
  input,
  encoding_format: format,
}: z.infer<typeof EmbeddingBody>) {
  const texts = [input].flat();
  const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
  return {
    object: 'list',
    model,
    data: texts.map((text, index) => {
      const vector = vectorOf(text);
      const embedding =
        format === 'float' ? [...vector] : Buffer.from(vector.buffer).toString('base64');
      return { object: 'embedding', index, embedding };
    }),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

const words = new Intl.Segmenter('und', { granularity: 'word' });
/** Words with the same beginning count as one: a rough stem. */
const STEM_LENGTH = 5;

/** Counts of words, each at a place by its hash, scaled to length 1: texts that share words are similar. */
function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const { segment, isWordLike } of words.segment(text.normalize('NFKC').toLowerCase())) {
    if (!isWordLike) continue;
    const hash = createHash('sha256').update(segment.slice(0, STEM_LENGTH)).digest();
    const at = hash.readUInt16BE(0) % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
