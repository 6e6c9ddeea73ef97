import type { Ref } from 'react';
import { Labelled } from '../../../ui/labelled.tsx';

interface TextAreaProps {
  ref?: Ref<HTMLTextAreaElement>;
  label: string;
  hint?: string;
  value: string;
  rows?: number;
  maxLength?: number;
  readOnly?: boolean;
  onChange: (value: string) => void;
}

/** A text of several lines with its label and a hint. */
export const TextArea = ({ label, hint, rows = 3, onChange, ...rest }: TextAreaProps) => (
  <Labelled label={label} hint={hint}>
    {(ties) => (
      <textarea
        {...ties}
        rows={rows}
        dir="auto"
        onChange={({ target }) => onChange(target.value)}
        className="w-full resize-y rounded-sm border border-control bg-ground px-3 py-2 text-base text-ink read-only:text-muted"
        {...rest}
      />
    )}
  </Labelled>
);
