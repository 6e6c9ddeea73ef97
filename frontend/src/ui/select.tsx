import type { ComponentProps } from 'react';
import { cn } from './cn.ts';
import { Labelled } from './labelled.tsx';

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
export const SelectField = ({ label, hint, className, ...rest }: SelectFieldProps) => (
  <Labelled label={label} hint={hint} className={className}>
    {(ties) => <Select {...ties} className="w-full" {...rest} />}
  </Labelled>
);
