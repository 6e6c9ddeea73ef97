import { t } from 'virtual:texts/app';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogClose, DialogContent } from '../../ui/dialog.tsx';
import { useAct } from './api.ts';

interface ConfirmDialogProps {
  title: string;
  /** What happens then. */
  description: string;
  action: string;
  isDanger?: boolean;
  run: () => Promise<unknown>;
  onClose: () => void;
}

/** Says what a change does before it is made. */
export function ConfirmDialog({
  title,
  description,
  action,
  isDanger = true,
  run,
  onClose,
}: ConfirmDialogProps) {
  const { mutate, isPending } = useAct(run);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent title={title} description={description}>
        <DialogActions>
          <DialogClose asChild>
            <Button>{t('cancel')}</Button>
          </DialogClose>
          <Button
            variant={isDanger ? 'danger' : 'primary'}
            busy={isPending}
            onClick={() => mutate(undefined, { onSettled: onClose })}
          >
            {action}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
