import type { MemoryFeature } from './feature.ts';
import { promptText } from './prompt-text.ts';
import { MAX_MEMORY_TOKENS, scopesOf } from './read.ts';

/** As reservations count: no text has fewer bytes for each token. */
const BYTES_PER_TOKEN = 3;
const MAX_BYTES = MAX_MEMORY_TOKENS * BYTES_PER_TOKEN;
/** The instructions of the block, with delimiters whose digits take more tokens than words do. */
const HEAD_BYTES = Buffer.byteLength(headOf()) + 100;
/** A line's id: of its 24 digits nearly each one may be a token. */
const LINE_BYTES = 90;
/** So many memories reach the limit by their ids alone. */
const ENOUGH = Math.ceil((MAX_BYTES - HEAD_BYTES) / LINE_BYTES);

function headOf(): string {
  const empty = { id: '', text: '' } as Parameters<typeof promptText>[0][number];
  return promptText([empty], '');
}

/**
 * What the memories of a user add to a prompt at most, in bytes as reservations count them. It needs one short query, and is 0 for a user
 * without memories.
 */
export async function promptBytesFor(
  { memories }: Pick<MemoryFeature, 'memories'>,
  ownerId: string,
  personaId: string | null,
): Promise<number> {
  const scopes = scopesOf(personaId);
  const texts = await memories.activeTexts(ownerId, { scopes, limit: ENOUGH });
  if (texts.length === 0) return 0;
  const lines = texts.map((text) => LINE_BYTES + Buffer.byteLength(text));
  return Math.min(
    MAX_BYTES,
    lines.reduce((sum, length) => sum + length, HEAD_BYTES),
  );
}
