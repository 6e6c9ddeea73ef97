import { t as common } from 'virtual:texts/app';
import { t as states } from 'virtual:texts/fileStates';
import { t } from 'virtual:texts/library';
import type { UserFile } from '@stolas/backend/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ignoreGone } from '../../../lib/api.ts';
import { removeFile } from '../../../realtime/index.ts';
import { ConfirmDialog, Subject } from '../../../ui/dialog.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { useAction } from '../../auth/index.ts';
import { deleteFile } from '../api.ts';
import { useTitles } from './use-titles.ts';

interface DeleteDialogProps {
  file: UserFile;
  onClose: () => void;
}

/** Asks before a file is deleted, and lists its uses. */
export function DeleteDialog({ file, onClose }: DeleteDialogProps) {
  const client = useQueryClient();
  const remove = useAction({
    run: () => deleteFile(file.id).catch(ignoreGone),
    onDone: () => {
      removeFile(client, file.id);
      onClose();
      toast({ title: t('deleted') });
    },
    failed: t('notDeleted'),
  });
  const isUsed = file.conversationIds.length > 0;
  return (
    <ConfirmDialog
      title={t('askDelete')}
      description={isUsed ? states('nameKept') : t('deleteUnused')}
      action={common('delete')}
      onClose={onClose}
      {...remove}
    >
      <Subject name={file.name} />
      {isUsed && <Uses ids={file.conversationIds} />}
    </ConfirmDialog>
  );
}

function Uses({ ids }: { ids: readonly string[] }) {
  const titles = useTitles(ids);
  return (
    <div className="mt-4 text-sm">
      <p className="text-muted">{t('usedBy', { count: ids.length })}</p>
      <ul className="mt-1.5 grid max-h-40 gap-1 overflow-y-auto">
        {titles
          ? [...titles].map(([id, title]) => (
              <li key={id} className="truncate">
                <bdi>{title}</bdi>
              </li>
            ))
          : ids.slice(0, 3).map((id) => (
              <li key={id}>
                <Skeleton className="w-2/3" />
              </li>
            ))}
      </ul>
    </div>
  );
}
