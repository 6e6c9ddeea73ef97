import type { FileList, UserFile } from '@stolas/backend/contract';
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { numbersOf } from './channel-numbers.ts';
import { compare, contains } from './conversation-cache.ts';

/** Lists of the user's files. */
export const filesKey = ['files'] as const;
/** The list of files whose names contain `q`; all of them when it is empty. */
export const fileListKey = (q: string) => [...filesKey, q] as const;
/** One file; without an id, all of them. */
export const fileKey = (id?: string) => (id === undefined ? ['file'] : ['file', id]);

/** The pages of one file. */
export const filePagesKey = (id: string) => ['file-page', id] as const;

/** The cached data of every list of files. */
export type FilePages = InfiniteData<FileList, string | null>;

/** A file was stored or has changed. Lists change in place; nothing is read again. */
export function updateFile(client: QueryClient, file: UserFile): void {
  const numbers = numbersOf(client);
  const before = client.getQueryData<UserFile | null>(fileKey(file.id));
  numbers.put(fileKey(file.id), file);
  // Recognised text is added to pages.
  if (before?.recognition) numbers.invalidate(filePagesKey(file.id));
  numbers.change<FilePages>(filesKey, (data, [, q]) => ({
    ...data,
    pages: upsert(data.pages, file, q as string),
  }));
}

/** A file was deleted. */
export function removeFile(client: QueryClient, id: string): void {
  const numbers = numbersOf(client);
  const lists = client.getQueriesData<FilePages>({ queryKey: filesKey });
  const isListed = lists.some(([, data]) => data && find(data.pages, id));
  numbers.put(fileKey(id), null);
  // The file is on a page that this tab has not read: only the server knows how much is used now.
  if (!isListed) numbers.invalidate(filesKey);
  numbers.change<FilePages>(filesKey, (data) => ({ ...data, pages: without(data.pages, id) }));
}

function upsert(pages: FileList[], file: UserFile, q: string): FileList[] {
  if (pages.some(({ files }) => files.some(({ id }) => id === file.id))) {
    return pages.map((page) => ({
      ...page,
      files: page.files.map((known) => (known.id === file.id ? file : known)),
    }));
  }
  return contains(file.name, q) ? insert(pages, file) : pages;
}

/** The events of two files that are uploaded together arrive in any order, so a file is inserted by its time. */
function insert(pages: FileList[], file: UserFile): FileList[] {
  const place = pages.findIndex(
    ({ files, next }) => next === null || files.some((known) => newestFirst(file, known) < 0),
  );
  // A file that is older than all of these is on a page that has not been read.
  if (place === -1) return pages;
  return pages.map((page, i) => ({
    ...page,
    files: i === place ? [...page.files, file].toSorted(newestFirst) : page.files,
    storage: grown(page, ownBytes(file)),
  }));
}

/** As the server sorts them. */
const newestFirst = (a: UserFile, b: UserFile): number =>
  compare(b.createdAt, a.createdAt) || compare(b.id, a.id);

function without(pages: FileList[], id: string): FileList[] {
  const removed = find(pages, id);
  if (!removed) return pages;
  return pages.map((page) => ({
    ...page,
    files: page.files.filter((file) => file.id !== id),
    storage: grown(page, -ownBytes(removed)),
  }));
}

const find = (pages: readonly FileList[], id: string): UserFile | undefined =>
  pages.flatMap(({ files }) => files).find((file) => file.id === id);

/** A file that somebody else shares takes the storage of its owner. */
const ownBytes = ({ size, shared }: UserFile): number =>
  (shared?.role ?? 'owner') === 'owner' ? size : 0;

const grown = ({ storage }: FileList, bytes: number) => ({
  ...storage,
  used: Math.max(0, storage.used + bytes),
});
