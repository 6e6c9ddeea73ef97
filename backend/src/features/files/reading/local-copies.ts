import { createWriteStream, rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ObjectStore } from '../../../objects/index.ts';
import { createTemporaryFolder } from '../../../temporary-folder.ts';
import { contentKey, type FileRecord } from '../library/file-record.ts';

const MB = 1024 * 1024;
/** Maximum disk space of unused copies. */
const IDLE_BYTES = 512 * MB;
/** An unused copy is removed after this time. */
const IDLE_MS = 5 * 60_000;
/** A longer download fails. */
const DOWNLOAD_LIMIT_MS = 5 * 60_000;
const FOLDER_PREFIX = 'stolas-files-';

/** A stored file with its size. */
export type StoredFile = Pick<FileRecord, 'id' | 'ownerId' | 'size'>;

/** Files of the store on the local disk, for readers that need a path. */
export interface LocalCopies {
  /**
   * Calls `run` with the path of a copy of the file, which is read-only and exists until `run` ends. The copy is downloaded once for all
   * concurrent callers, and kept for a while.
   * @throws ObjectMissingError, and IncompleteCopyError when the store sends another number of bytes
   */
  withLocalCopy: <T>(file: StoredFile, run: (path: string) => Promise<T>) => Promise<T>;
  /** Removes everything at once. */
  close: () => Promise<void>;
}

/** The store sent more or fewer bytes than the file has. */
export class IncompleteCopyError extends Error {
  override name = 'IncompleteCopyError';
}

interface Copy {
  path: Promise<string>;
  size: number;
  users: number;
  idle?: NodeJS.Timeout;
}

export function createLocalCopies({
  objects,
  idleBytes = IDLE_BYTES,
  idleMs = IDLE_MS,
}: {
  objects: Pick<ObjectStore, 'read'>;
  idleBytes?: number;
  idleMs?: number;
}): LocalCopies {
  // The first key is the least recently used.
  const copies = new Map<string, Copy>();
  const { download, removeAll } = createDownloads(objects);

  const take = (file: StoredFile): Copy => {
    const copy = copies.get(file.id) ?? { path: download(file), size: file.size, users: 0 };
    clearTimeout(copy.idle);
    copy.users += 1;
    copies.delete(file.id);
    copies.set(file.id, copy);
    return copy;
  };
  const giveBack = (id: string, copy: Copy) => {
    copy.users -= 1;
    if (copy.users > 0) return;
    copy.idle = setTimeout(() => void remove(copies, id, copy), idleMs).unref();
    shrink(copies, idleBytes);
  };

  return {
    withLocalCopy: async (file, run) => {
      const copy = take(file);
      try {
        const target = await copy.path.catch((error: unknown) => {
          // The next caller downloads again.
          if (copies.get(file.id) === copy) copies.delete(file.id);
          throw error;
        });
        return await run(target);
      } finally {
        if (copies.get(file.id) === copy) giveBack(file.id, copy);
      }
    },

    close: async () => {
      for (const copy of copies.values()) clearTimeout(copy.idle);
      copies.clear();
      await removeAll();
    },
  };
}

async function remove(copies: Map<string, Copy>, id: string, copy: Copy): Promise<void> {
  clearTimeout(copy.idle);
  if (copies.get(id) === copy) copies.delete(id);
  await copy.path.then((target) => rm(target, { force: true })).catch(() => undefined);
}

/** Removes unused copies until the rest takes at most `idleBytes`. */
function shrink(copies: Map<string, Copy>, idleBytes: number): void {
  const idle = [...copies].filter(([, copy]) => copy.users === 0);
  let bytes = idle.reduce((sum, [, copy]) => sum + copy.size, 0);
  for (const [id, copy] of idle) {
    if (bytes <= idleBytes) return;
    bytes -= copy.size;
    void remove(copies, id, copy);
  }
}

/** Downloads files into a folder of this process. */
function createDownloads(objects: Pick<ObjectStore, 'read'>) {
  let folder: Promise<string> | undefined;
  let downloads = 0;
  return {
    /** @returns the path of the copy */
    download: async (file: StoredFile): Promise<string> => {
      folder ??= createFolder();
      const dir = await folder;
      await mkdir(dir, { recursive: true });
      downloads += 1;
      const target = path.join(dir, `${file.id}-${downloads}`);
      await downloadTo(target, objects, file);
      return target;
    },
    removeAll: async (): Promise<void> => {
      const dir = await folder;
      if (dir) await rm(dir, { recursive: true, force: true });
    },
  };
}

async function downloadTo(
  target: string,
  objects: Pick<ObjectStore, 'read'>,
  file: StoredFile,
): Promise<void> {
  const signal = AbortSignal.timeout(DOWNLOAD_LIMIT_MS);
  let bytes = 0;
  const counted = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > file.size) break;
      yield chunk;
    }
  };
  try {
    const source = await objects.read(contentKey(file), { signal });
    await pipeline(source, counted, createWriteStream(target, { mode: 0o600 }), { signal });
    if (bytes !== file.size)
      throw new IncompleteCopyError(`The store sent ${bytes} of ${file.size} bytes.`);
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

/** A folder that is removed with the process; folders of killed processes are removed as well. */
async function createFolder(): Promise<string> {
  const folder = await createTemporaryFolder(FOLDER_PREFIX);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
