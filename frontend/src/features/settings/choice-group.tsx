import type { ReactNode } from 'react';
import { cn } from '../../ui/cn.ts';

interface ChoiceGroupProps<T extends string> {
  legend: string;
  name: string;
  choices: readonly { value: T; label: ReactNode }[];
  current: T;
  onChoose: (value: T) => void;
  /** A further effect of a choice. */
  note?: string;
}

/** A few choices side by side, one of them selected. */
export function ChoiceGroup<T extends string>(props: ChoiceGroupProps<T>) {
  const { legend, name, choices, current, onChoose, note } = props;
  return (
    <fieldset className="max-w-md">
      <legend className="text-sm font-medium">{legend}</legend>
      <div className="mt-2 grid grid-cols-3 gap-3">
        {choices.map(({ value, label }) => (
          <label
            key={value}
            className={cn(
              'grid cursor-pointer justify-items-center gap-2 rounded-lg border px-3 py-4 text-sm font-medium transition-colors duration-150 ease-out hover:bg-hover',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-cool',
              value === current ? 'border-accent bg-accent-soft' : 'border-control text-muted',
            )}
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={value === current}
              onChange={() => onChoose(value)}
            />
            {label}
          </label>
        ))}
      </div>
      {note && <p className="mt-2 text-sm text-muted">{note}</p>}
    </fieldset>
  );
}
