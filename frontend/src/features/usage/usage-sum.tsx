import { t } from 'virtual:texts/usage';
import { rich } from '../../i18n/rich.tsx';
import { formatNumber, percentOf } from '../../lib/number.ts';

const SUMS = {
  messages: 'sumMessages',
  tokens: 'sumTokens',
  tokensToday: 'sumTokensToday',
} as const;

const PARTS = {
  used: (text: string) => <span className="font-medium">{text}</span>,
  rest: (text: string) => <span className="text-muted">{text}</span>,
};

interface UsageSumProps {
  used: number;
  limit: number;
  unit: keyof typeof SUMS;
  note?: string | null;
}

/** The used part of a limit, in words and as a bar. */
export const UsageSum = ({ used, limit, unit, note }: UsageSumProps) => (
  <div>
    <p className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-sm">
      <span className="tabular-nums">
        {rich(t(SUMS[unit], { used: formatNumber(used), limit: formatNumber(limit) }), PARTS)}
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
