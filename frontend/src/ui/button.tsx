import { type ComponentProps, cloneElement, isValidElement } from 'react';
import { cn } from './cn.ts';
import { Spinner } from './spinner.tsx';

type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger';
type ButtonSize = 'sm' | 'md' | 'lg';

const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'bg-accent text-on-accent not-disabled:hover:bg-accent-hover',
  secondary: 'border border-control text-ink not-disabled:hover:bg-hover',
  ghost: 'text-muted not-disabled:hover:bg-hover not-disabled:hover:text-ink',
  danger: 'border border-danger text-danger not-disabled:hover:bg-danger-soft',
};

const SIZES: Record<ButtonSize, string> = {
  sm: 'h-8 px-3',
  md: 'h-10 px-4',
  lg: 'h-12 px-6 text-base',
};

interface ButtonProps extends ComponentProps<'button'> {
  variant?: ButtonVariant;
  size?: ButtonSize;
  /** Shows a spinner and ignores clicks. The label does not change. */
  busy?: boolean;
  /** Applies the styles to the only child, for links. */
  asChild?: boolean;
}

export function Button({
  variant = 'secondary',
  size = 'md',
  busy = false,
  asChild = false,
  className,
  disabled,
  children,
  ...rest
}: ButtonProps) {
  const looks = cn(
    'inline-flex shrink-0 items-center justify-center gap-2 rounded-sm text-sm font-medium whitespace-nowrap select-none',
    'transition-colors duration-150 ease-out disabled:cursor-default disabled:opacity-50 pointer-coarse:min-h-11',
    VARIANTS[variant],
    SIZES[size],
    className,
  );
  // Links use no other part of Radix's Slot, and every page would load it.
  if (asChild && isValidElement<{ className?: string }>(children)) {
    return cloneElement(children, { ...rest, className: looks });
  }
  return (
    <button
      type="button"
      className={looks}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {busy && <Spinner className="size-4" />}
      {children}
    </button>
  );
}
