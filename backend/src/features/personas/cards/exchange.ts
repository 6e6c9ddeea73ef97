import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ErrorCode } from '../../../contract/errors.ts';
import type { CardExportQuery, CardPreview, PersonaFields } from '../../../contract/personas.ts';
import type { Exported } from './write-card.ts';

// The files in which a web process and the child of the file reader exchange a card.

export const FILES = { card: 'card', request: 'request.json', picture: 'picture.png' } as const;

/** The child's result for a card. It is short, however long the card is. */
export type CardDigest =
  | { refusal: { code: ErrorCode; message: string; details?: Record<string, unknown> | undefined } }
  | (Omit<CardPreview, 'persona'> & {
      /** The persona without the card's instructions, and with them. */
      persona: PersonaFields;
      instructed: PersonaFields;
      hasPicture: boolean;
    });

/** A card that the child is to write. */
export interface WriteRequest {
  persona: Exported;
  format: CardExportQuery['format'];
  hasPicture: boolean;
}

/** Runs `work` with a folder that contains these files, and removes it. */
export async function inFolder<T>(
  files: Partial<Record<string, string | Buffer>>,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stolas-card-'));
  try {
    for (const [name, content] of Object.entries(files))
      if (content !== undefined) await writeFile(path.join(folder, name), content);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
