import { t } from 'virtual:texts/storageUse';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { filesQuery } from '../api.ts';
import { StorageMeter } from './storage-meter.tsx';

/** The storage that the user's files take, with a link to them; nothing when it is unknown. */
export function StorageUse() {
  const { data, isError } = useInfiniteQuery(filesQuery(''));
  const storage = data?.pages[0]?.storage;
  if (!storage) return isError ? null : <Skeleton className="w-48" />;
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <StorageMeter storage={storage} className="min-w-48 flex-1" />
      <Link
        href="/files"
        className="flex items-center rounded-sm text-sm font-medium text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11"
      >
        {t('seeFiles')}
      </Link>
    </div>
  );
}
