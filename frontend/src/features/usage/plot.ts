import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatCompact } from '../../lib/number.ts';
import { formatShortDay } from '../../lib/time.ts';
import type { DayUsage } from './days.ts';

const DAY_MS = 86_400_000;
/** The scale of tokens reaches at least this far. */
const MIN_SCALE = 100;

/** Bars of tokens by day. */
export interface Plot {
  /** Shows `days` on an axis of `length` days, which may reach into the future. */
  show: (days: readonly DayUsage[], length: number) => void;
  /** Draws again with the colours that the theme has now. */
  redraw: () => void;
  destroy: () => void;
}

/**
 * Draws into `host` and follows its size.
 * @param onPoint called with the index of the day under the pointer, or null
 */
export function createPlot(host: HTMLElement, onPoint: (index: number | null) => void): Plot {
  let days: readonly DayUsage[] = [];
  let length = 1;
  const nameOf = (index: number): string | null => {
    const [first] = days;
    if (!first || index < 0 || index >= length) return null;
    const day = new Date(Date.parse(first.date) + index * DAY_MS);
    return formatShortDay(day.toISOString(), 'UTC');
  };

  const bars = uPlot.paths.bars?.({ size: [0.68, 28], radius: 0.15 });
  const plot = new uPlot(
    {
      ...sizeOf(host),
      padding: [8, 18, 0, 0],
      legend: { show: false },
      cursor: { x: false, y: false, points: { show: false }, drag: { x: false, y: false } },
      scales: {
        x: { time: false, range: () => [-0.6, length - 0.4] },
        y: { range: (_plot, _min, max) => [0, Math.max(MIN_SCALE, max * 1.1)] },
      },
      axes: [
        {
          ...axis(host),
          grid: { show: false },
          incrs: [1, 2, 7, 14, 30, 90],
          space: 60,
          size: 26,
          values: (_plot, splits) => splits.map(nameOf),
        },
        {
          ...axis(host),
          grid: { stroke: () => token('--line'), width: 1 },
          space: 44,
          size: 44,
          values: (_plot, splits) => splits.map((value) => formatCompact(value)),
        },
      ],
      series: [
        {},
        {
          fill: () => token('--gold'),
          points: { show: false },
          ...(bars && { paths: bars }),
        },
      ],
      hooks: { setCursor: [(self) => onPoint(pointedDay(self))] },
    },
    [[], []],
    host,
  );
  const sizes = new ResizeObserver(() => plot.setSize(sizeOf(host)));
  sizes.observe(host);

  return {
    show: (nextDays, nextLength) => {
      [days, length] = [nextDays, nextLength];
      plot.setData([days.map((_, index) => index), days.map(({ tokens }) => tokens)]);
    },
    redraw: () => plot.redraw(),
    destroy: () => {
      sizes.disconnect();
      plot.destroy();
    },
  };
}

const sizeOf = ({ clientWidth, clientHeight }: HTMLElement) => ({
  width: clientWidth,
  height: clientHeight,
});

/** A colour of the theme. */
const token = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name);

const axis = (host: HTMLElement) => ({
  stroke: () => token('--muted'),
  font: `12px ${getComputedStyle(host).fontFamily}`,
  ticks: { show: false },
  border: { show: false },
});

function pointedDay(plot: uPlot): number | null {
  const { idx, left = -1 } = plot.cursor;
  if (idx === null || idx === undefined || left < 0) return null;
  return Math.abs(plot.posToVal(left, 'x') - idx) <= 0.5 ? idx : null;
}
