import { TOKENS_PER_IMAGE } from '../../../llm/index.ts';
import type { Log } from '../../../log.ts';
import type { FileReader } from '../../../reading/index.ts';
import type { ContextImage } from '../../context.ts';
import type { FileRecord } from '../library/file-record.ts';
import type { LocalCopies } from '../reading/index.ts';

/** Share of the prompt that images may take. */
const SHARE = 0.25;

interface ImagesDeps {
  reader: Pick<FileReader, 'imageForModel'>;
  copies: Pick<LocalCopies, 'withLocalCopy'>;
  log: Pick<Log, 'warn'>;
  /** Whether the model sees images. */
  vision: boolean;
  /** Longest prompt, in tokens. */
  budgetTokens: number;
}

/** The images that a model is shown, by file id: none when it does not see, the first ones of `files` when there are many. */
export function createModelImages({ reader, copies, log, vision, budgetTokens }: ImagesDeps) {
  const most = vision ? Math.floor((budgetTokens * SHARE) / TOKENS_PER_IMAGE) : 0;
  return async (files: FileRecord[], signal: AbortSignal): Promise<Map<string, ContextImage>> => {
    const images = new Map<string, ContextImage>();
    for (const file of files.slice(0, most)) {
      signal.throwIfAborted();
      const { id, name } = file;
      try {
        const image = await copies.withLocalCopy(file, (path) =>
          reader.imageForModel({ path, name, signal }),
        );
        images.set(id, { name, ...image });
      } catch (error) {
        signal.throwIfAborted();
        log.warn({ err: error, fileId: id }, 'an image is not shown to the model');
      }
    }
    return images;
  };
}
