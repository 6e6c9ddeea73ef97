import type { ComponentProps } from 'react';
import { ConfirmDialog as Confirm } from '../../ui/dialog.tsx';
import { useAct } from './api.ts';

interface ConfirmDialogProps extends Omit<ComponentProps<typeof Confirm>, 'isPending' | 'run'> {
  run: () => Promise<unknown>;
}

/** Says what a change does before it is made. */
export function ConfirmDialog({ children, run, ...dialog }: ConfirmDialogProps) {
  const { mutate, isPending } = useAct(run);
  return (
    <Confirm
      {...dialog}
      isPending={isPending}
      run={() => mutate(undefined, { onSettled: dialog.onClose })}
    >
      {children && <div className="mt-4 grid gap-4">{children}</div>}
    </Confirm>
  );
}
