import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/library';
import type { User, UserFile } from '@stolas/backend/contract';
import { Files, SearchX } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { GrantsDialog } from '../../grants/index.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { FileRow } from './file-row.tsx';
import { StorageMeter } from './storage-meter.tsx';
import { RunningUploads, UploadButton } from './uploads.tsx';
import { useFiles } from './use-files.ts';
import { useTitles } from './use-titles.ts';

/** All files of the user, to find, open, attach and delete. */
export function FileLibrary({ user }: { user: User }) {
  const [search, setSearch] = useState('');
  const library = useFiles(search);
  const { storage } = library;
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
        <h1 className="text-xl font-semibold">{common('files')}</h1>
        {storage && <StorageMeter storage={storage} className="w-full sm:w-56" />}
      </div>
      <div className="mt-6 flex flex-wrap gap-3">
        <SearchField
          label={t('search')}
          placeholder={t('searchPlaceholder')}
          value={search}
          onChange={setSearch}
          className="min-w-48 flex-1"
        />
        <UploadButton user={user} />
      </div>
      <RunningUploads user={user} />
      <Content {...library} user={user} search={search.trim()} onShowAll={() => setSearch('')} />
    </>
  );
}

interface ContentProps extends ReturnType<typeof useFiles> {
  user: User;
  search: string;
  onShowAll: () => void;
}

function Content({ files, isFailed, retry, search, onShowAll, ...more }: ContentProps) {
  if (isFailed) {
    return (
      <ErrorState
        className="py-16"
        title={t('notLoaded')}
        description={t('notLoadedNote')}
        onRetry={retry}
      />
    );
  }
  if (!files) return <ListSkeleton />;
  if (files.length === 0 && search !== '') {
    return (
      <EmptyState
        className="py-16"
        icon={<SearchX aria-hidden="true" />}
        title={t('noneFound')}
        description={t('noneFoundNote')}
      >
        <Button onClick={onShowAll}>{t('showAll')}</Button>
      </EmptyState>
    );
  }
  if (files.length === 0) {
    return (
      <EmptyState
        className="py-16"
        icon={<Files aria-hidden="true" />}
        title={t('empty')}
        description={t('emptyNote')}
      />
    );
  }
  return <FileList files={files} {...more} />;
}

interface FileListProps
  extends Pick<ContentProps, 'user' | 'hasMore' | 'isLoadingMore' | 'isMoreFailed' | 'loadMore'> {
  files: readonly UserFile[];
}

function FileList({ user, files, hasMore, isLoadingMore, isMoreFailed, loadMore }: FileListProps) {
  const [deleting, setDeleting] = useState<UserFile | null>(null);
  const [sharing, setSharing] = useState<UserFile | null>(null);
  const titles = useTitles(files.flatMap(({ conversationIds }) => conversationIds.slice(-1)));
  return (
    <>
      <ul aria-label={common('files')} className="mt-4 divide-y divide-line">
        {files.map((file) => (
          <FileRow
            key={file.id}
            file={file}
            titles={titles}
            onShare={() => setSharing(file)}
            onDelete={() => setDeleting(file)}
          />
        ))}
      </ul>
      {hasMore && (
        <div className="mt-4 grid justify-items-center gap-2">
          {isMoreFailed && (
            <p role="alert" className="text-sm text-muted">
              {t('moreNotLoaded')}
            </p>
          )}
          <Button busy={isLoadingMore} onClick={loadMore}>
            {isMoreFailed ? common('tryAgain') : t('showMore')}
          </Button>
        </div>
      )}
      {sharing && (
        <GrantsDialog
          user={user}
          record={{ ...sharing, kind: 'files' }}
          onClose={() => setSharing(null)}
        />
      )}
      {deleting && <DeleteDialog file={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

const ListSkeleton = () => (
  <div className="mt-4">
    <span className="sr-only">{t('loading')}</span>
    {[0, 1, 2, 3, 4].map((row) => (
      <div key={row} className="flex items-center gap-4 py-4">
        <Skeleton className="size-11 shrink-0" />
        <div className="grid flex-1 gap-2">
          <Skeleton className="w-1/2" />
          <Skeleton className="h-3 w-1/3" />
        </div>
      </div>
    ))}
  </div>
);
