import { createHash } from 'node:crypto';
import type { FileIndex } from '../retrieval/file-index.ts';

/** The vectors of a file's passages, in their order. */
export interface FileVectors {
  dimensions: number;
  /** One vector after the other, each scaled so that its largest value is 127: a quarter of the size, and the same ranking. */
  values: Int8Array;
}

const LARGEST = 127;

/**
 * Identifies the passages that vectors were computed from. Vectors of an earlier text, or of other passages, are detected by it and never
 * used.
 */
export function fingerprintOf({ passages }: Pick<FileIndex, 'passages'>): string {
  const hash = createHash('sha256');
  for (const { page, start, end, hash: text } of passages)
    hash.update(`${page}:${start}:${end}:${text}\n`);
  return hash.digest('hex');
}

interface Header {
  fingerprint: string;
  dimensions: number;
}

/** The stored form: a line of JSON, then the values. */
export function encodeVectors(vectors: readonly Float32Array[], fingerprint: string): Buffer {
  const dimensions = vectors[0]?.length ?? 0;
  const values = new Int8Array(vectors.length * dimensions);
  for (const [at, vector] of vectors.entries()) {
    const scale = LARGEST / vector.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
    values.set(
      vector.map((value) => Math.round(value * scale)),
      at * dimensions,
    );
  }
  const header: Header = { fingerprint, dimensions };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), Buffer.from(values.buffer)]);
}

/** @returns null for the vectors of other passages */
export function decodeVectors(bytes: Buffer, fingerprint: string): FileVectors | null {
  const end = bytes.indexOf('\n');
  const header = JSON.parse(bytes.toString('utf8', 0, end)) as Header;
  if (header.fingerprint !== fingerprint) return null;
  return { dimensions: header.dimensions, values: Int8Array.from(bytes.subarray(end + 1), signed) };
}

const signed = (byte: number) => (byte << 24) >> 24;

/** The cosine of a question with each passage; null when the lengths of their vectors differ. */
export function cosinesOf(
  { dimensions, values }: FileVectors,
  question: Float32Array,
): Float64Array | null {
  if (question.length !== dimensions) return null;
  const length = Math.hypot(...question);
  const cosines = new Float64Array(values.length / dimensions);
  for (let passage = 0; passage < cosines.length; passage += 1) {
    let [product, square] = [0, 0];
    for (let at = 0; at < dimensions; at += 1) {
      const value = values[passage * dimensions + at] ?? 0;
      product += value * (question[at] ?? 0);
      square += value * value;
    }
    cosines[passage] = product / (Math.sqrt(square) * length || 1);
  }
  return cosines;
}
