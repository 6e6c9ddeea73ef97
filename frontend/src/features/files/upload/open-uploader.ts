import { t } from 'virtual:texts/files';
import { readItem } from '../../../lib/storage.ts';
import { randomUuid } from '../../../lib/uuid.ts';
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
    const { id } = options;
    const isOwn = await takeLock(id, { ifAvailable: true });
    const storedAs = isOwn ? id : `${id}-${randomUuid()}`;
    const uploader = new module.Uploader({ ...options, storedAs });
    opened.set(id, uploader);
    return uploader;
  } catch (error) {
    closeUploader(options.id);
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
  releaseLock(id);
}

/** Those that wait for another tab. */
const resuming = new Set<string>();

/**
 * Opens an uploader by `open` when a former page of this browser has not finished its uploads. While another tab has it open they go on there,
 * and would be sent twice.
 */
export async function resumeUploader(
  id: string,
  open: () => Promise<unknown> | undefined,
): Promise<void> {
  if (opened.has(id) || resuming.has(id) || !hasUnfinished(id)) return;
  resuming.add(id);
  await takeLock(id, { ifAvailable: false });
  resuming.delete(id);
  const isWanted = !opened.has(id) && hasUnfinished(id);
  if (isWanted) await open();
  if (!isWanted || !opened.has(id)) releaseLock(id);
}

/** By uploader: each ends the page's hold of its lock, and so does the end of the page. */
const releases = new Map<string, () => void>();

function releaseLock(id: string): void {
  releases.get(id)?.();
  releases.delete(id);
}

/** Holds the lock of an uploader from here on. @returns whether this page has it; true on pages without https, which have no locks */
function takeLock(id: string, options: { ifAvailable: boolean }): Promise<boolean> {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks || releases.has(id)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = (lock: Lock | null) => {
      resolve(lock !== null || releases.has(id));
      return lock && new Promise<void>((release) => releases.set(id, release));
    };
    locks.request(`uploader:${id}`, options, hold).catch(() => resolve(true));
  });
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
