import { t } from 'virtual:texts/usage';
import type { Usage } from '@stolas/backend/contract';
import { useEffect, useMemo, useRef, useState } from 'react';
import { formatNumber } from '../../lib/number.ts';
import { useTheme } from '../../lib/theme.ts';
import { formatShortDay } from '../../lib/time.ts';
import { type DayUsage, daysOfPeriod, daysUntilToday } from './days.ts';
import type { Plot } from './plot.ts';
import { Subheading } from './subheading.tsx';

/** The days of the usage period: a plot, and for those who cannot see or point at it a table. */
export function UsageByDay({ usage }: { usage: Usage }) {
  const days = useMemo(() => daysUntilToday(usage), [usage]);
  if (days.some(({ tokens }) => tokens > 0)) return <Days usage={usage} days={days} />;
  return (
    <div>
      <Subheading>{t('byDay')}</Subheading>
      <p className="mt-2 text-sm text-muted">{t('nothingYet')}</p>
    </div>
  );
}

function Days({ usage, days }: { usage: Usage; days: readonly DayUsage[] }) {
  const [pointed, setPointed] = useState<number | null>(null);
  const host = usePlot({ days, length: daysOfPeriod(usage, days.length), onPoint: setPointed });
  // With a cap, its sum includes today's tokens of the whole day; the plot has only those of the usage period.
  const atRest = usage.tokensPerDay === null ? days.length - 1 : -1;
  const shown = days[pointed ?? atRest];
  return (
    <div>
      <div className="flex items-baseline justify-between gap-4">
        <Subheading>{t('byDay')}</Subheading>
        {shown && (
          <p className="text-xs text-muted tabular-nums">
            {shown === days.at(-1)
              ? t('todayTokens', { tokens: formatNumber(shown.tokens) })
              : t('dayTokens', { day: dayOf(shown), tokens: formatNumber(shown.tokens) })}
          </p>
        )}
      </div>
      <div ref={host} aria-hidden="true" className="mt-3 h-44 min-w-0" />
      <DayTable days={days} />
    </div>
  );
}

const dayOf = ({ date }: DayUsage): string => formatShortDay(date, 'UTC');

interface PlotOptions {
  days: readonly DayUsage[];
  length: number;
  onPoint: (index: number | null) => void;
}

/** Draws the plot into the returned element. Its code is loaded here; without it the table remains. */
function usePlot({ days, length, onPoint }: PlotOptions) {
  const host = useRef<HTMLDivElement>(null);
  const [plot, setPlot] = useState<Plot | null>(null);
  const theme = useTheme();

  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    let made: Plot | undefined;
    let isGone = false;
    const draw = async () => {
      const { createPlot } = await import('./plot.ts');
      if (isGone) return;
      made = createPlot(element, onPoint);
      setPlot(made);
    };
    draw().catch(() => element.remove());
    return () => {
      isGone = true;
      made?.destroy();
      setPlot(null);
    };
  }, [onPoint]);

  useEffect(() => plot?.show(days, length), [plot, days, length]);
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the colours are those of the theme
  useEffect(() => plot?.redraw(), [plot, theme]);
  return host;
}

const DayTable = ({ days }: { days: readonly DayUsage[] }) => (
  <details className="mt-2 text-sm">
    <summary className="w-fit cursor-pointer rounded-sm py-1 text-xs text-muted hover:text-ink pointer-coarse:py-3">
      {t('showTable')}
    </summary>
    <table className="mt-3 w-full">
      <caption className="sr-only">{t('tableCaption')}</caption>
      <thead>
        <tr className="border-b border-line text-muted">
          <th scope="col" className="py-1.5 text-start font-normal">
            {t('day')}
          </th>
          <th scope="col" className="py-1.5 text-end font-normal">
            {t('tokensColumn')}
          </th>
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map((day) => (
          <tr key={day.date} className="border-b border-line last:border-b-0">
            <th scope="row" className="py-1.5 text-start font-normal">
              {dayOf(day)}
            </th>
            <td className="py-1.5 text-end tabular-nums">{formatNumber(day.tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);
