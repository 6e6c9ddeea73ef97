import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type FileReader, UnreadableFileError } from '../../../reading/index.ts';
import { BadPngError, isPng, pngWith } from './png.ts';
import { BLANK } from './write-card.ts';

const NAME = 'card.png';

/**
 * Reads the pictures of cards. They come from strangers: a child process draws them anew, small and without anything else that
 * stands in the file.
 * @returns null for a card without a picture, or with one that cannot be read: the persona is imported all the same
 */
export const createPictureReading =
  ({ imageForCard }: Pick<FileReader, 'imageForCard'>) =>
  async (card: Buffer): Promise<Buffer | null> => {
    if (!isPng(card) || isBlank(card)) return null;
    const folder = await mkdtemp(path.join(tmpdir(), 'stolas-card-'));
    try {
      const file = path.join(folder, NAME);
      await writeFile(file, card);
      return await imageForCard({ path: file, name: NAME });
    } catch (error) {
      if (error instanceof UnreadableFileError) return null;
      throw error;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

/** Whether it is the picture that exports of personas without one carry. */
function isBlank(card: Buffer): boolean {
  try {
    return pngWith(card, []).equals(BLANK);
  } catch (error) {
    if (error instanceof BadPngError) return false;
    throw error;
  }
}
