import { TOKENS_PER_IMAGE } from '../../../llm/index.ts';
import type { ContextImage } from '../../context.ts';
import type { FilesFeature } from '../feature.ts';
import type { FileRecord } from '../library/file-record.ts';

/** Maximum share of the prompt for images. */
const SHARE = 0.25;

/** The images for a model, by file id: none when it does not see, the first of `images` when there are many. */
export async function imagesForModel(
  { config, copies, reader, log }: Pick<FilesFeature, 'config' | 'copies' | 'reader' | 'log'>,
  images: FileRecord[],
  signal: AbortSignal,
): Promise<Map<string, ContextImage>> {
  const count = config.OPENAI_VISION
    ? Math.floor((config.CONTEXT_TOKENS * SHARE) / TOKENS_PER_IMAGE)
    : 0;
  const shown = new Map<string, ContextImage>();
  for (const file of images.slice(0, count)) {
    signal.throwIfAborted();
    const { id, name } = file;
    try {
      const image = await copies.withLocalCopy(file, (path) =>
        reader.imageForModel({ path, name, signal }),
      );
      shown.set(id, { name, ...image });
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error, fileId: id }, 'image not given to the model');
    }
  }
  return shown;
}
