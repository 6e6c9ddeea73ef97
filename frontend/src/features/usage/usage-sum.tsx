import { formatNumber, percentOf } from '../../lib/number.ts';

interface UsageSumProps {
  used: number;
  limit: number;
  unit: string;
  note?: string | null;
}

/** A used sum of its limit, in words and as a bar. */
export const UsageSum = ({ used, limit, unit, note }: UsageSumProps) => (
  <div>
    <p className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
      <span className="tabular-nums">
        <span className="font-medium">{formatNumber(used)}</span>{' '}
        <span className="text-muted">
          of {formatNumber(limit)} {unit}
        </span>
      </span>
      {note && <span className="text-muted">{note}</span>}
    </p>
    <div aria-hidden="true" className="mt-2 h-1.5 overflow-hidden rounded-full bg-hover">
      <div
        className="h-full rounded-full bg-accent transition-[width] duration-150 ease-out"
        style={{ width: `${percentOf({ used, limit })}%` }}
      />
    </div>
  </div>
);
