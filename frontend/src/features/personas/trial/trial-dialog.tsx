import { t } from 'virtual:texts/personas';
import { OpenDialog } from '../../../ui/dialog.tsx';
import type { Subject } from './subjects.ts';
import { Trial } from './trial.tsx';

interface TrialDialogProps {
  /** They do not change while it is open. */
  subjects: readonly Subject[];
  onClose: () => void;
}

/** A trial over the page. Closing it ends and erases the replies. */
export const TrialDialog = ({ subjects, onClose }: TrialDialogProps) => (
  <OpenDialog title={t('tryIt')} description={t('tryText')} className="max-w-2xl" onClose={onClose}>
    <div className="mt-4">
      <Trial subjects={subjects} />
    </div>
  </OpenDialog>
);
