import { t } from 'virtual:texts/workspace';
import type { WorkspaceMember } from '@stolas/backend/contract';
import { OpenDialog } from '../../ui/dialog.tsx';
import { TokensForm } from '../../ui/tokens-form.tsx';
import { showFailure } from '../auth/index.ts';
import { changeMember, readAgain } from './api.ts';

interface CapDialogProps {
  workspaceId: string;
  member: WorkspaceMember;
  onClose: () => void;
}

/** The most tokens of the workspace that a member may use in a month. */
export function CapDialog({ workspaceId, member, onClose }: CapDialogProps) {
  const { userId, name, usage } = member;
  return (
    <OpenDialog title={t('capTitle', { name })} description={t('capText')} onClose={onClose}>
      <TokensForm
        send={(cap) => changeMember(workspaceId, userId, { cap: cap === '' ? null : cap })}
        onDone={() => {
          readAgain();
          onClose();
        }}
        onFailure={showFailure(t('changeFailed'))}
        name="cap"
        label={t('cap')}
        tokens={usage?.cap ?? null}
        action={t('saveCap')}
        isDialog
        onCancel={onClose}
      />
    </OpenDialog>
  );
}
