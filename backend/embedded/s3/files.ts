import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A new path in the folder for unfinished files; its last segment is a random name. */
export type Temporary = () => { path: string; name: string };

/**
 * Makes renames and removals in a folder survive a power failure. Windows cannot sync folders; NTFS keeps a journal.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Moves a synced file or folder to its place, in one step that survives a power failure. */
export async function place(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
}

/** Writes a whole file and syncs it; it must not exist. */
export async function writeNew(path: string, content: string): Promise<void> {
  const handle = await open(path, 'wx');
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The error code of a failed system call, or undefined. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

/** A file that this store wrote and renamed into place: complete, or missing. */
export async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read`, { cause: error });
  }
}
