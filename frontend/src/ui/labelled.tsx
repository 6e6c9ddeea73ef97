import { type ReactNode, useId } from 'react';

interface LabelledProps {
  label: string;
  hint?: string | undefined;
  className?: string | undefined;
  /** Draws the control with the attributes that connect it to its label and hint. */
  children: (ties: { id: string; 'aria-describedby': string | undefined }) => ReactNode;
}

/** A control with its label and, below it, a hint. */
export function Labelled({ label, hint, className, children }: LabelledProps) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': hint ? `${id}-hint` : undefined })}
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}
