import { Popover as Radix } from 'radix-ui';
import type { ReactNode, RefObject } from 'react';
import { cn } from './cn.ts';

interface PopoverProps {
  /** The button that opens it: it stands beside it, and the focus returns there. */
  button: RefObject<HTMLButtonElement | null>;
  label: string;
  onClose: () => void;
  className?: string;
  children: ReactNode;
}

/** An open panel beside a button, closed by Escape and by a press outside. The button toggles it. */
export function Popover({ button, label, onClose, className, children }: PopoverProps) {
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Anchor virtualRef={button} />
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          side="top"
          sideOffset={6}
          collisionPadding={12}
          onInteractOutside={(event) => {
            // The button closes it by its own click.
            if (event.target instanceof Node && button.current?.contains(event.target))
              event.preventDefault();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            const { activeElement } = document;
            if (!activeElement || activeElement === document.body) button.current?.focus();
          }}
          className={cn(
            'z-40 max-h-[min(26rem,var(--radix-popover-content-available-height))] max-w-[calc(100vw-1.5rem)] animate-pop overflow-y-auto rounded-lg border border-line bg-raised p-4 shadow-float outline-none',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
