import { Search } from 'lucide-react';
import { cn } from './cn.ts';
import { Input } from './input.tsx';

interface SearchFieldProps {
  /** The name for screen readers. */
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  /** The class of the whole field. */
  className?: string;
  inputClassName?: string;
}

export const SearchField = ({ label, value, onChange, ...rest }: SearchFieldProps) => (
  <div className={cn('relative', rest.className)}>
    <Search
      aria-hidden="true"
      className="pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-muted"
    />
    <Input
      type="search"
      aria-label={label}
      placeholder={rest.placeholder}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || value === '') return;
        // Escape ends only the search.
        event.preventDefault();
        onChange('');
      }}
      className={cn('pl-9 text-sm pointer-coarse:text-base', rest.inputClassName)}
    />
  </div>
);
