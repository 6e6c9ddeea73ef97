import { type ComponentProps, cloneElement, isValidElement, type ReactNode } from 'react';
import { cn } from './cn.ts';
import { Tooltip } from './tooltip.tsx';

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'aria-label' | 'title'> {
  /** The name of the button, as tooltip and for screen readers. */
  label: string;
  /** Keys shown in the tooltip, such as `Ctrl K`. */
  shortcut?: string;
  side?: ComponentProps<typeof Tooltip>['side'];
  size?: 'sm' | 'md';
  variant?: keyof typeof VARIANTS;
  /**
   * There is nothing more in its direction. It looks disabled and has no effect; unlike `disabled` it keeps the focus.
   */
  isAtEnd?: boolean;
  /** Applies the styles to the only child, for links. */
  asChild?: boolean;
  children: ReactNode;
}

const VARIANTS = {
  primary: 'bg-accent text-on-accent not-disabled:hover:bg-accent-hover',
  ghost:
    'text-muted not-disabled:hover:bg-hover not-disabled:hover:text-ink aria-expanded:bg-hover aria-pressed:text-accent',
};

/** A button that is only an icon. */
export function IconButton({
  label,
  shortcut,
  side,
  size = 'md',
  variant = 'ghost',
  isAtEnd = false,
  asChild = false,
  className,
  children,
  ...rest
}: IconButtonProps) {
  const looks = {
    'aria-label': label,
    className: cn(
      'inline-flex shrink-0 items-center justify-center rounded-sm transition-colors duration-150 ease-out',
      'disabled:cursor-default disabled:opacity-50 pointer-coarse:size-11',
      size === 'sm' ? 'size-8 [&_svg]:size-4' : 'size-10 [&_svg]:size-5',
      isAtEnd ? 'cursor-default text-muted opacity-50' : VARIANTS[variant],
      className,
    ),
    ...rest,
    ...(isAtEnd && { 'aria-disabled': true, onClick: undefined }),
  };
  return (
    <Tooltip label={label} shortcut={shortcut} side={side}>
      {asChild && isValidElement<ComponentProps<'button'>>(children) ? (
        cloneElement(children, looks)
      ) : (
        <button type="button" {...looks}>
          {children}
        </button>
      )}
    </Tooltip>
  );
}
