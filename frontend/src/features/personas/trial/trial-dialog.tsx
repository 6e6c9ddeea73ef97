import { t } from 'virtual:texts/personas';
import { Dialog, DialogContent } from '../../../ui/dialog.tsx';
import type { Subject } from './subjects.ts';
import { Trial } from './trial.tsx';

interface TrialDialogProps {
  /** They do not change while it is open. */
  subjects: readonly Subject[];
  onClose: () => void;
}

/** A trial over the page. Closing it ends and erases the replies. */
export const TrialDialog = ({ subjects, onClose }: TrialDialogProps) => (
  <Dialog open onOpenChange={(open) => !open && onClose()}>
    <DialogContent title={t('tryIt')} description={t('tryText')} className="max-w-2xl">
      <div className="mt-4">
        <Trial subjects={subjects} />
      </div>
    </DialogContent>
  </Dialog>
);
