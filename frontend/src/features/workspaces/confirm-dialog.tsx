import { t } from 'virtual:texts/app';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogClose, DialogContent } from '../../ui/dialog.tsx';
import { useAct } from './api.ts';

interface ConfirmDialogProps {
  title: string;
  /** What happens then. */
  description: string;
  action: string;
  isDanger?: boolean;
  /** What is to be known or chosen before. */
  children?: ReactNode;
  /** It cannot be confirmed yet. */
  isWaiting?: boolean;
  run: () => Promise<unknown>;
  onClose: () => void;
}

/** Says what a change does before it is made. */
export function ConfirmDialog({
  title,
  description,
  action,
  isDanger = true,
  children,
  isWaiting = false,
  run,
  onClose,
}: ConfirmDialogProps) {
  const { mutate, isPending } = useAct(run);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent title={title} description={description}>
        {children && <div className="mt-4 grid gap-4">{children}</div>}
        <DialogActions>
          <DialogClose asChild>
            <Button>{t('cancel')}</Button>
          </DialogClose>
          <Button
            variant={isDanger ? 'danger' : 'primary'}
            busy={isPending}
            disabled={isWaiting}
            onClick={() => mutate(undefined, { onSettled: onClose })}
          >
            {action}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
