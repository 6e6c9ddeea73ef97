import { t } from 'virtual:texts/personas';
import type { Persona } from '@stolas/backend/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError } from '../../lib/api.ts';
import { removePersona } from '../../realtime/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogChoice, DialogContent } from '../../ui/dialog.tsx';
import { useAction } from '../auth/index.ts';
import { deletePersona } from './api.ts';

/** Asks before a persona is deleted. */
export function DeleteDialog({ persona, onClose }: { persona: Persona; onClose: () => void }) {
  const client = useQueryClient();
  const { run, isPending } = useAction({
    run: () => deletePersona(persona.id).catch(ignoreGone),
    onDone: () => {
      removePersona(client, persona.id);
      onClose();
    },
    failed: t('notDeleted'),
  });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent title={t('deleteTitle')} description={t('deleteText')}>
        <p className="mt-4 rounded-sm bg-surface px-3 py-2 text-sm font-medium wrap-anywhere">
          <bdi>{persona.name}</bdi>
        </p>
        <DialogChoice>
          <Button variant="danger" busy={isPending} onClick={run}>
            {t('delete')}
          </Button>
        </DialogChoice>
      </DialogContent>
    </Dialog>
  );
}

/** Another tab has deleted it. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}
