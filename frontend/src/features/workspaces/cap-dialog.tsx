import { t } from 'virtual:texts/workspace';
import type { WorkspaceMember } from '@stolas/backend/contract';
import { formatNumber, parseNumber } from '../../lib/number.ts';
import { Dialog, DialogContent } from '../../ui/dialog.tsx';
import { Form } from '../../ui/form.tsx';
import { Field } from '../../ui/input.tsx';
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
  const cap = usage?.cap ?? null;
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent title={t('capTitle', { name })} description={t('capText')}>
        <Form
          send={(value) =>
            changeMember(workspaceId, userId, {
              cap: value('cap').trim() === '' ? null : parseNumber(value('cap')),
            })
          }
          onDone={() => {
            readAgain();
            onClose();
          }}
          onFailure={showFailure(t('changeFailed'))}
          action={t('saveCap')}
          isPrimary
          onCancel={onClose}
        >
          <Field
            label={t('cap')}
            name="cap"
            inputMode="numeric"
            autoComplete="off"
            defaultValue={cap === null ? '' : formatNumber(cap)}
          />
        </Form>
      </DialogContent>
    </Dialog>
  );
}
