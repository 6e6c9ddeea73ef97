import { t } from 'virtual:texts/plans';
import type { BillingInterval } from '@stolas/backend/contract';
import { cn } from '../../../ui/cn.ts';

const CHOICES = [
  { interval: 'month', label: 'monthly', note: undefined },
  { interval: 'year', label: 'yearly', note: 'save' },
] as const;

interface IntervalSwitchProps {
  value: BillingInterval;
  onChange: (interval: BillingInterval) => void;
}

/** Whether the prices are those of a month or of a year. */
export const IntervalSwitch = ({ value, onChange }: IntervalSwitchProps) => (
  <fieldset className="inline-flex gap-1 rounded-full border border-line bg-surface p-1">
    <legend className="sr-only">{t('period')}</legend>
    {CHOICES.map(({ interval, label, note }) => (
      <label
        key={interval}
        className={cn(
          'flex h-9 cursor-pointer items-center gap-2 rounded-full px-4 text-sm font-medium transition-colors duration-150 ease-out pointer-coarse:h-11',
          'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-cool',
          interval === value ? 'bg-hover text-ink' : 'text-muted hover:text-ink',
        )}
      >
        <input
          type="radio"
          name="interval"
          className="sr-only"
          checked={interval === value}
          onChange={() => onChange(interval)}
        />
        <span>{t(label)}</span>{' '}
        {note && <span className="text-xs font-semibold text-success">{t(note)}</span>}
      </label>
    ))}
  </fieldset>
);
