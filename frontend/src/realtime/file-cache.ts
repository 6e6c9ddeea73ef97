import type { FileList, UserFile } from '@stolas/backend/contract';
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import { compare, contains } from './conversation-cache.ts';
import { PushedMeanwhile } from './reads.ts';

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

/** Null is a deletion. */
const pushedMeanwhile = new PushedMeanwhile<UserFile | null>();

/** A file was stored or has changed. Lists change in place; nothing is read again. */
export function updateFile(client: QueryClient, file: UserFile): void {
  pushedMeanwhile.note(file.id, file);
  const before = client.getQueryData<UserFile | null>(fileKey(file.id));
  client.setQueryData<UserFile>(fileKey(file.id), file);
  // Recognised text is added to pages.
  if (before?.recognition) void client.invalidateQueries({ queryKey: filePagesKey(file.id) });
  eachList(client, (list, q) => upsert(list, file, q));
}

/** A file was deleted. */
export function removeFile(client: QueryClient, id: string): void {
  pushedMeanwhile.note(id, null);
  const size = sizeOf(client, id);
  client.setQueryData<UserFile | null>(fileKey(id), null);
  // The file is on a page that this tab has not read: only the server knows how much is used now.
  if (size === undefined) void client.invalidateQueries({ queryKey: filesKey });
  else eachList(client, (list) => without(list, id, size));
}

/** Reads a page of a list, and merges it with what is pushed meanwhile. */
export const readFileList = (
  { q, isFirst }: { q: string; isFirst: boolean },
  read: () => Promise<FileList>,
): Promise<FileList> =>
  pushedMeanwhile.merge(read, (answer, changes) => {
    const files = answer.files.flatMap((file) => {
      const change = changes.get(file.id);
      return change === undefined ? [file] : (change ?? []);
    });
    const page = { ...answer, files };
    const pushed = isFirst ? [...changes.values()].filter((file) => file !== null) : [];
    return pushed.reduce((list, file) => upsert([list], file, q)[0] ?? list, page);
  });

function eachList(client: QueryClient, change: (pages: FileList[], q: string) => FileList[]): void {
  for (const { queryKey } of client.getQueryCache().findAll({ queryKey: filesKey })) {
    client.setQueryData<FilePages>(
      queryKey,
      (data) => data && { ...data, pages: change(data.pages, queryKey[1] as string) },
    );
  }
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
    storage: grown(page, file.size),
  }));
}

/** As the server sorts them. */
const newestFirst = (a: UserFile, b: UserFile): number =>
  compare(b.createdAt, a.createdAt) || compare(b.id, a.id);

const without = (pages: FileList[], id: string, size: number): FileList[] =>
  pages.map((page) => ({
    ...page,
    files: page.files.filter((file) => file.id !== id),
    storage: grown(page, -size),
  }));

const grown = ({ storage }: FileList, bytes: number) => ({
  ...storage,
  used: Math.max(0, storage.used + bytes),
});

function sizeOf(client: QueryClient, id: string): number | undefined {
  const one = client.getQueryData<UserFile | null>(fileKey(id));
  if (one) return one.size;
  const lists = client.getQueriesData<FilePages>({ queryKey: filesKey });
  return lists
    .flatMap(([, data]) => data?.pages ?? [])
    .flatMap(({ files }) => files)
    .find((file) => file.id === id)?.size;
}
