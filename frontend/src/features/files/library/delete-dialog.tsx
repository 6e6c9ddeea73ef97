import { t as common } from 'virtual:texts/app';
import { t as states } from 'virtual:texts/fileStates';
import { t } from 'virtual:texts/library';
import type { UserFile } from '@stolas/backend/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../../lib/api.ts';
import { removeFile } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogChoice, DialogContent } from '../../../ui/dialog.tsx';
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
  const { run, isPending } = useAction({
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
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent
        title={t('askDelete')}
        description={isUsed ? states('nameKept') : t('deleteUnused')}
      >
        <p className="mt-4 rounded-sm bg-surface px-3 py-2 text-sm font-medium wrap-anywhere">
          <bdi>{file.name}</bdi>
        </p>
        {isUsed && <Uses ids={file.conversationIds} />}
        <DialogChoice>
          <Button variant="danger" busy={isPending} onClick={run}>
            {common('delete')}
          </Button>
        </DialogChoice>
      </DialogContent>
    </Dialog>
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

/** The file was deleted elsewhere, such as in another tab. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}
