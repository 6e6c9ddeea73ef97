import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogChoice, DialogContent } from '../../ui/dialog.tsx';
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
        <DialogChoice>
          <Button
            variant={isDanger ? 'danger' : 'primary'}
            busy={isPending}
            disabled={isWaiting}
            onClick={() => mutate(undefined, { onSettled: onClose })}
          >
            {action}
          </Button>
        </DialogChoice>
      </DialogContent>
    </Dialog>
  );
}
