import { type ComponentProps, type ReactNode, useRef, useState } from 'react';
import { cn } from './cn.ts';
import { Popover } from './popover.tsx';

/** The look of a chip below a reply. */
export const CHIP =
  'inline-flex min-h-8 items-center rounded-full border border-line px-3 py-1 text-xs transition-colors duration-150 ease-out hover:bg-hover pointer-coarse:min-h-11';

interface PopoverChipProps extends ComponentProps<'button'> {
  /** The label of the chip. */
  children: ReactNode;
  /** The name of the panel. */
  label: string;
  panel: ReactNode;
  panelClassName?: string;
}

/** A line in a rounded frame below a reply; it opens a panel with more. */
export function PopoverChip({
  children,
  label,
  panel,
  panelClassName,
  className,
  ...rest
}: PopoverChipProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className={cn(CHIP, className)}
        {...rest}
      >
        {children}
      </button>
      {isOpen && (
        <Popover
          button={button}
          label={label}
          onClose={() => setOpen(false)}
          className={cn('grid gap-4', panelClassName)}
        >
          {panel}
        </Popover>
      )}
    </>
  );
}
