import { t } from 'virtual:texts/app';
import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useRef } from 'react';
import { Button } from './button.tsx';
import { cn } from './cn.ts';
import { DialogActions } from './dialog-actions.tsx';

export const Dialog = Radix.Root;
export const DialogTrigger = Radix.Trigger;
/** Closes the dialog; give it one child with `asChild`. */
export const DialogClose = Radix.Close;

/** What has the focus; in place of an item of a menu, which is gone later, the button of the menu. */
function openerOf(focused: Element | null): Element | null {
  const menu = focused?.closest('[role=menu]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : focused;
}

interface DialogContentProps {
  title: string;
  description?: string;
  className?: string;
  children?: ReactNode;
}

/** The panel: named by its title, closed by Escape, by the cross and by a click outside. */
export function DialogContent({ title, description, className, children }: DialogContentProps) {
  // Radix returns the focus only to a trigger; a dialog without one would lose it.
  const opener = useRef<Element | null>(null);
  return (
    <Radix.Portal>
      <Radix.Overlay className="fixed inset-0 z-40 grid animate-fade place-items-center overflow-y-auto bg-scrim p-4">
        <Radix.Content
          {...(!description && { 'aria-describedby': undefined })}
          onOpenAutoFocus={() => {
            opener.current = openerOf(document.activeElement);
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (opener.current instanceof HTMLElement) opener.current.focus();
          }}
          className={cn(
            'relative w-full max-w-md animate-pop rounded-lg border border-line bg-raised p-6 shadow-float outline-none',
            className,
          )}
        >
          <Radix.Title className="pr-10 text-lg font-semibold wrap-anywhere">{title}</Radix.Title>
          {description && (
            <Radix.Description className="mt-2 text-sm wrap-anywhere text-muted">
              {description}
            </Radix.Description>
          )}
          {children}
          <Radix.Close
            aria-label={t('close')}
            className="absolute top-4 right-4 grid size-9 place-content-center rounded-sm text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
          >
            <X aria-hidden="true" className="size-4" />
          </Radix.Close>
        </Radix.Content>
      </Radix.Overlay>
    </Radix.Portal>
  );
}

interface OpenDialogProps extends DialogContentProps {
  onClose: () => void;
}

/** A dialog that is open as long as it is mounted. */
export const OpenDialog = ({ onClose, ...content }: OpenDialogProps) => (
  <Dialog open onOpenChange={(open) => !open && onClose()}>
    <DialogContent {...content} />
  </Dialog>
);

interface DialogChoiceProps {
  /** The button that changes nothing. */
  cancel?: string;
  /** What the dialog is for. */
  children?: ReactNode;
}

/** The foot of a dialog that asks before it does something. */
export const DialogChoice = ({ cancel = t('cancel'), children }: DialogChoiceProps) => (
  <DialogActions>
    <DialogClose asChild>
      <Button>{cancel}</Button>
    </DialogClose>
    {children}
  </DialogActions>
);

interface ConfirmDialogProps extends OpenDialogProps {
  action: string;
  isDanger?: boolean;
  /** It cannot be confirmed yet. */
  isWaiting?: boolean;
  isPending: boolean;
  run: () => void;
}

/** Says what an action does before it is done. */
export const ConfirmDialog = ({
  action,
  isDanger = true,
  isWaiting = false,
  isPending,
  run,
  children,
  ...dialog
}: ConfirmDialogProps) => (
  <OpenDialog {...dialog}>
    {children}
    <DialogChoice>
      <Button
        variant={isDanger ? 'danger' : 'primary'}
        busy={isPending}
        disabled={isWaiting}
        onClick={run}
      >
        {action}
      </Button>
    </DialogChoice>
  </OpenDialog>
);

/** The name of what an action is about. */
export const Subject = ({ name }: { name: string }) => (
  <p className="mt-4 rounded-sm bg-surface px-3 py-2 text-sm font-medium wrap-anywhere">
    <bdi>{name}</bdi>
  </p>
);
