import type { StorageUse, UserFile } from '@stolas/backend/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useDelayed } from '../../../lib/use-delayed.ts';
import { filesQuery } from '../api.ts';

const SEARCH_DELAY_MS = 250;
/** The longest search that the server accepts. */
const MAX_SEARCH_LENGTH = 100;

interface FileLibrary {
  /** The files loaded so far; undefined before the first page. */
  files: readonly UserFile[] | undefined;
  storage: StorageUse | undefined;
  isFailed: boolean;
  retry: () => void;
  hasMore: boolean;
  isLoadingMore: boolean;
  isMoreFailed: boolean;
  loadMore: () => void;
}

/** The user's files, or during a search those that the server finds. */
export function useFiles(search: string): FileLibrary {
  const wanted = search.trim().slice(0, MAX_SEARCH_LENGTH);
  const q = useDelayed(wanted, SEARCH_DELAY_MS);
  const all = useInfiniteQuery(filesQuery(''));
  const found = useInfiniteQuery({ ...filesQuery(q), enabled: q !== '' });
  const list = wanted === '' ? all : found;
  const isCurrent = wanted === q;
  return {
    files: isCurrent ? list.data?.pages.flatMap(({ files }) => files) : undefined,
    // Every change is written into the first page of all files.
    storage: all.data?.pages[0]?.storage,
    isFailed: isCurrent && list.isError && !list.data,
    retry: () => void list.refetch(),
    hasMore: list.hasNextPage,
    isLoadingMore: list.isFetchingNextPage,
    isMoreFailed: list.isFetchNextPageError,
    loadMore: () => void list.fetchNextPage(),
  };
}
