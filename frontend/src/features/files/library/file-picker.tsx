import { t } from 'virtual:texts/library';
import type { UserFile } from '@stolas/backend/contract';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { OpenDialog } from '../../../ui/dialog.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { KindIcon } from '../kind-icon.tsx';
import { useFiles } from './use-files.ts';

interface FilePickerProps {
  onChoose: (file: UserFile) => void;
  onClose: () => void;
}

/** Finds and chooses one of the user's files. */
export function FilePicker({ onChoose, onClose }: FilePickerProps) {
  const [search, setSearch] = useState('');
  return (
    <OpenDialog title={t('pick')} onClose={onClose}>
      <SearchField
        label={t('search')}
        placeholder={t('searchPlaceholder')}
        value={search}
        onChange={setSearch}
        className="mt-4"
      />
      <Found {...useFiles(search)} isSearch={search.trim() !== ''} onChoose={onChoose} />
    </OpenDialog>
  );
}

interface FoundProps extends ReturnType<typeof useFiles> {
  isSearch: boolean;
  onChoose: (file: UserFile) => void;
}

function Found({ files, isFailed, retry, isSearch, onChoose, ...more }: FoundProps) {
  if (isFailed)
    return (
      <ErrorState
        className="py-6"
        title={t('notLoaded')}
        description={t('notLoadedNote')}
        onRetry={retry}
      />
    );
  if (!files) return <Skeleton className="mt-4 h-24" />;
  if (files.length === 0)
    return <p className="mt-4 text-sm text-muted">{isSearch ? t('noneFound') : t('emptyNote')}</p>;
  return (
    <ul aria-label={t('pick')} className="mt-3 max-h-[50dvh] overflow-y-auto">
      {files.map((file) => (
        <li key={file.id}>
          <button
            type="button"
            onClick={() => onChoose(file)}
            className="flex min-h-10 w-full items-center gap-3 rounded-sm px-2 py-1.5 text-left text-sm hover:bg-hover pointer-coarse:min-h-11"
          >
            <KindIcon kind={file.kind} className="size-4 shrink-0 text-muted" />
            <bdi className="truncate">{file.name}</bdi>
          </button>
        </li>
      ))}
      {more.hasMore && (
        <li>
          <Button size="sm" variant="ghost" busy={more.isLoadingMore} onClick={more.loadMore}>
            {t('showMore')}
          </Button>
        </li>
      )}
    </ul>
  );
}
