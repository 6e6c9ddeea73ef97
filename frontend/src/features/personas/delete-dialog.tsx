import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/personas';
import type { PersonaSummary } from '@stolas/backend/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ignoreGone } from '../../lib/api.ts';
import { removePersona } from '../../realtime/index.ts';
import { ConfirmDialog, Subject } from '../../ui/dialog.tsx';
import { useAction } from '../auth/index.ts';
import { deletePersona } from './api.ts';

/** Asks before a persona is deleted. */
export function DeleteDialog({
  persona,
  onClose,
}: {
  persona: PersonaSummary;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const remove = useAction({
    run: () => deletePersona(persona.id).catch(ignoreGone),
    onDone: () => {
      removePersona(client, persona.id);
      onClose();
    },
    failed: t('notDeleted'),
  });
  return (
    <ConfirmDialog
      title={t('deleteTitle')}
      description={t('deleteText')}
      action={common('delete')}
      onClose={onClose}
      {...remove}
    >
      <Subject name={persona.name} />
    </ConfirmDialog>
  );
}
