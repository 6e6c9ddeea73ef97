import type { FileList, FilePage, PageMarks, UserFile } from '@stolas/backend/contract';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { apiDelete, apiGet, apiPost } from '../../lib/api.ts';
import { fileKey, fileListKey, filePagesKey, getNumbered } from '../../realtime/index.ts';
import type { FilePlace } from './place.ts';

const pathOf = (fileId: string) => `/api/files/${fileId}`;

const pathOfList = (query: Record<string, string>) => {
  const params = new URLSearchParams(query);
  return params.size > 0 ? `/api/files?${params}` : '/api/files';
};

/** The user's files, the newest first: all of them, or those whose names contain `q`. */
export const filesQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: fileListKey(q),
    queryFn: (read) =>
      getNumbered<FileList>(
        pathOfList({ ...(q !== '' && { q }), ...(read.pageParam && { cursor: read.pageParam }) }),
        read,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

/** Delay before another read of a file that is being read and whose changes no event tells. */
const READ_AGAIN_MS = 2_000;

/** One file; null when it does not exist any more. Of one that only a conversation opens, events tell nothing. */
export const fileQuery = (fileId: string) =>
  queryOptions({
    queryKey: fileKey(fileId),
    queryFn: async (read): Promise<UserFile | null> =>
      (await getNumbered<FileList>(pathOfList({ ids: fileId }), read)).files[0] ?? null,
    staleTime: ({ state: { data } }) => (data?.isReadOnly ? 0 : Number.POSITIVE_INFINITY),
    refetchInterval: ({ state: { data } }) =>
      data?.isReadOnly && isChanging(data) ? READ_AGAIN_MS : false,
  });

const isChanging = ({ state, recognition }: UserFile): boolean =>
  (state !== 'ready' && state !== 'failed') || recognition !== undefined;

/** Whether messages may name a file, as far as this is known. */
export const isUsable = (file: UserFile | null | undefined): boolean =>
  file !== null && !file?.isReadOnly;

/** The text of a page changes only when it is recognised; only what is in view is kept for long. */
export const pageQuery = (fileId: string, n: number) =>
  queryOptions({
    queryKey: [...filePagesKey(fileId), n],
    queryFn: (read) => getNumbered<FilePage>(`${pathOf(fileId)}/pages/${n}`, read),
    gcTime: 60_000,
  });

/** The position of the marked passage on the picture of its page. */
export const marksQuery = ({ fileId, page, mark = { start: 0, end: 0 } }: FilePlace) =>
  queryOptions({
    queryKey: ['file-marks', fileId, page, mark],
    queryFn: ({ signal }) =>
      apiGet<PageMarks>(
        `${pathOf(fileId)}/pages/${page}/marks?start=${mark.start}&end=${mark.end}`,
        { signal, on401: 'throw' },
      ),
    gcTime: 60_000,
  });

/** The address of a page's picture, `width` pixels wide. */
export const pictureUrl = (fileId: string, n: number, width: number): string =>
  `${pathOf(fileId)}/pages/${n}/picture?width=${width}`;

/** The attributes of a link that saves a file, also one that the browser could show. */
export const downloadOf = ({ id, name }: { id: string; name?: string | undefined }) => ({
  href: `${pathOf(id)}?download=true`,
  download: name || true,
  target: '_blank',
  rel: 'noreferrer noopener',
});

export const deleteFile = (fileId: string) => apiDelete(pathOf(fileId));

/** Starts reading a file again that could not be read. */
export const readAgain = (fileId: string) => apiPost<UserFile>(`${pathOf(fileId)}/read`);
