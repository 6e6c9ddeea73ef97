import { type ComponentProps, useId } from 'react';
import { cn } from './cn.ts';

/** A select of the platform: it works by keyboard and on phones as users know it. */
export const Select = ({ className, ...rest }: ComponentProps<'select'>) => (
  <select
    className={cn(
      'h-10 rounded-sm border border-control bg-ground px-3 text-base text-ink disabled:text-muted pointer-coarse:h-11',
      className,
    )}
    {...rest}
  />
);

interface SelectFieldProps extends ComponentProps<'select'> {
  label: string;
  hint?: string;
}

/** A select with its label and, below it, a hint. */
export function SelectField({ label, hint, className, ...rest }: SelectFieldProps) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <Select
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="w-full"
        {...rest}
      />
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
