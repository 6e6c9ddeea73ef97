import { useId } from 'react';

interface TextAreaProps {
  label: string;
  hint?: string;
  value: string;
  rows?: number;
  maxLength?: number;
  readOnly?: boolean;
  onChange: (value: string) => void;
}

/** A text of several lines with its label and a hint. */
export function TextArea({ label, hint, rows = 3, onChange, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      <textarea
        id={id}
        rows={rows}
        dir="auto"
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={({ target }) => onChange(target.value)}
        className="w-full resize-y rounded-sm border border-control bg-ground px-3 py-2 text-base text-ink read-only:text-muted"
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
