import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/workspace';
import type { Workspace, WorkspaceMember } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { SelectField } from '../../ui/select.tsx';
import { leavingQuery, membersQuery, removeMember } from './api.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface LeaveDialogProps {
  workspace: Workspace;
  /** Who leaves, and is removed by somebody else unless `isSelf`. */
  member: Pick<WorkspaceMember, 'userId' | 'name'>;
  isSelf: boolean;
  onClose: () => void;
}

/** Says before a member leaves or is removed what becomes of what they have shared, and asks who gets it. */
export function LeaveDialog({ workspace, member, isSelf, onClose }: LeaveDialogProps) {
  const { id, name, owner } = workspace;
  const [heirId, setHeir] = useState(owner.id);
  const { data: counts, isError } = useQuery({ ...leavingQuery(id, member.userId), staleTime: 0 });
  const { data: members = [] } = useQuery(membersQuery(id));
  const { shared = 0, personas = 0, files = 0, others = 0 } = counts ?? {};
  const heirs = members.filter(({ userId, role }) => userId !== member.userId && role !== 'viewer');
  return (
    <ConfirmDialog
      title={isSelf ? t('leaveTitle', { name }) : t('removeTitle', { name: member.name })}
      description={isSelf ? t('leaveText', { owner: owner.name }) : t('removeText')}
      action={isSelf ? t('leave') : common('remove')}
      isWaiting={!counts}
      run={() => removeMember(id, member.userId, heirId)}
      onClose={onClose}
    >
      {isError && (
        <p role="alert" className="text-sm">
          {t('readFailed')}
        </p>
      )}
      {counts && (
        <p className="text-sm">
          {isSelf ? t('leaveShared', { shared, others }) : t('removeShared', { shared })}{' '}
          {personas > 0 && t(isSelf ? 'leavePersonas' : 'removePersonas', { count: personas })}{' '}
          {files > 0 && t(isSelf ? 'leaveFiles' : 'removeFiles', { count: files })}
        </p>
      )}
      {shared + personas + files > 0 && (
        <SelectField
          label={t('heir')}
          hint={t('heirHint')}
          value={heirId}
          onChange={({ target }) => setHeir(target.value)}
        >
          {heirs.map(({ userId, name: heir }) => (
            <option key={userId} value={userId}>
              {heir}
            </option>
          ))}
        </SelectField>
      )}
    </ConfirmDialog>
  );
}
