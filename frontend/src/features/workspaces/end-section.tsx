import { t } from 'virtual:texts/workspace';
import type { Workspace } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { deleteWorkspace, membersQuery } from './api.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { LeaveDialog } from './leave-dialog.tsx';

/** The end of a membership; for the owner, who cannot leave, of the workspace. */
export function EndSection({ workspace, userId }: { workspace: Workspace; userId: string }) {
  const [isOpen, setOpen] = useState(false);
  const { id, role, name, seats } = workspace;
  const onClose = () => setOpen(false);
  const { data } = useQuery(membersQuery(id));
  const isOwner = role === 'owner';
  const members = data?.length ?? 1;
  const counts = { others: members - 1, open: Math.max(0, seats.taken - members) };
  return (
    <section className="mt-10 grid gap-3 border-t border-line pt-8">
      {isOwner && <p className="text-sm text-muted">{t('ownerStays')}</p>}
      <Button variant="danger" className="justify-self-start" onClick={() => setOpen(true)}>
        {isOwner ? t('delete') : t('leave')}
      </Button>
      {isOpen && isOwner && (
        <ConfirmDialog
          title={t('deleteTitle', { name })}
          description={t('deleteText', counts)}
          action={t('delete')}
          run={() => deleteWorkspace(id)}
          onClose={onClose}
        />
      )}
      {isOpen && !isOwner && (
        <LeaveDialog workspace={workspace} member={{ userId, name: '' }} isSelf onClose={onClose} />
      )}
    </section>
  );
}
