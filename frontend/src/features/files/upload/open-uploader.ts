import { t } from 'virtual:texts/files';
import { readItem } from '../../../lib/storage.ts';
import { toastError } from '../../../ui/toast-store.ts';
import type { Uploader, UploaderOptions } from './uploader.ts';

const opening = new Map<string, Promise<Uploader>>();
const opened = new Map<string, Uploader>();

/**
 * The uploader with this id. The first call loads the code of uploads and creates it.
 * @throws when the code cannot be loaded, after a notification
 */
export function openUploader(options: UploaderOptions): Promise<Uploader> {
  const { id } = options;
  const running = opening.get(id) ?? load(options);
  opening.set(id, running);
  return running;
}

async function load(options: UploaderOptions): Promise<Uploader> {
  try {
    const module = await import('./uploader.ts');
    const uploader = new module.Uploader(options);
    opened.set(options.id, uploader);
    return uploader;
  } catch (error) {
    opening.delete(options.id);
    toastError(t('uploadError'), t('uploaderNotLoaded'));
    throw error;
  }
}

/** The uploader with this id, if it was opened in this page. */
export const openedUploader = (id: string | undefined): Uploader | undefined =>
  id ? opened.get(id) : undefined;

export function closeUploader(id: string): void {
  opened.get(id)?.close();
  opened.delete(id);
  opening.delete(id);
}

/** Whether the browser stores unfinished uploads of this uploader, from this page or a former one. */
export function hasUnfinished(id: string): boolean {
  const uploader = opened.get(id);
  if (uploader) return !uploader.isEmpty;
  try {
    const stored: unknown = JSON.parse(readItem(`uppyState:${id}`) ?? 'null');
    const { files = {} } =
      (stored as { metadata?: { files?: Record<string, StoredUpload> } } | null)?.metadata ?? {};
    return Object.values(files).some(({ meta }) => !meta?.fileId);
  } catch {
    return false;
  }
}

/** The fields that the golden retriever stores of a file and that are used here. */
interface StoredUpload {
  meta?: { fileId?: string };
}
