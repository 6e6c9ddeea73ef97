import { type ComponentProps, createContext, type ReactNode, use, useId } from 'react';
import { cn } from './cn.ts';

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return (
    <input
      className={cn(
        'h-10 w-full min-w-0 rounded-sm border border-control bg-ground px-3 text-base text-ink placeholder:text-muted',
        'transition-colors duration-150 ease-out disabled:opacity-50 aria-invalid:border-danger pointer-coarse:h-11',
        className,
      )}
      {...rest}
    />
  );
}

/** The corrections that fields of a form need, by their names. */
export const FieldErrors = createContext<(field: string) => string | undefined>(() => undefined);

interface FieldProps extends ComponentProps<'input'> {
  label: string;
  hint?: string | undefined;
  /** The correction that the field needs, unless the form has it; shown instead of the hint. */
  error?: string | undefined;
  /** A control that sits at the end, inside the box. */
  end?: ReactNode;
}

/** An input with its label and, below it, a hint or an error. */
export function Field({ label, hint, error: given, end, className, ...rest }: FieldProps) {
  const id = useId();
  const errorOf = use(FieldErrors);
  const error = given ?? errorOf(rest.name ?? '');
  const note = error ?? hint;
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <div className="relative">
        <Input
          id={id}
          aria-invalid={error ? true : undefined}
          aria-describedby={note ? `${id}-note` : undefined}
          className={cn(end !== undefined && 'pr-11')}
          {...rest}
        />
        {end !== undefined && <div className="absolute inset-y-0 right-0 flex">{end}</div>}
      </div>
      {note && (
        <p id={`${id}-note`} className={cn('mt-1.5 text-sm', error ? 'text-danger' : 'text-muted')}>
          {note}
        </p>
      )}
    </div>
  );
}
