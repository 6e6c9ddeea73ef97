import type { ComponentProps } from 'react';
import { cn } from './cn.ts';

interface CheckboxProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  label: string;
  onChange: (checked: boolean) => void;
}

/** A choice with its label, in a line of its own. */
export const Checkbox = ({ label, className, onChange, ...rest }: CheckboxProps) => (
  <label
    className={cn('flex min-h-8 items-center gap-2.5 text-sm pointer-coarse:min-h-11', className)}
  >
    <input
      type="checkbox"
      className="size-4 shrink-0 accent-accent"
      onChange={({ target }) => onChange(target.checked)}
      {...rest}
    />
    {label}
  </label>
);
