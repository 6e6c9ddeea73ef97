import os from 'node:os';
import { ms, p50, p95 } from './quantiles.ts';

function describeMachine(): string {
  const cpus = os.cpus();
  const memory = Math.round(os.totalmem() / 2 ** 30);
  const load = os.loadavg()[0] ?? 0;
  return `${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown CPU'}, ${memory} GB, ${os.type()} ${os.arch()}, Node ${process.versions.node}, load ${load.toFixed(1)} before`;
}

/** With the load before the measurement. */
const MACHINE = describeMachine();

/** Prints what was measured, and the machine. */
export const printTitle = (title: string): void => console.log(`\n${title}\n${MACHINE}`);

export const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, n) => sum + n, 0) / numbers.length;
export const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

type Cell = string | number;

/** A row of a table: the median of delays, and the value below which 95% of them are. */
export const delayRow = (name: string, delays: readonly number[], ...more: Cell[]): Cell[] => [
  name,
  ms(p50(delays)),
  ms(p95(delays)),
  ...more,
];

/** Prints rows in columns below an empty line: words to the left, figures to the right. */
export function printTable(head: readonly string[], rows: readonly (readonly Cell[])[]): void {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => String(row[column] ?? '').length)),
  );
  const line = (cells: readonly Cell[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? String(cell).padEnd(width) : String(cell).padStart(width);
      })
      .join('  ');
  console.log(`\n${line(head)}`);
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const row of rows) console.log(line(row));
}

export interface Verdict {
  promise: string;
  measured: string;
  kept: boolean;
}

/** Writes figures with a unit. */
export const inUnit =
  (unit: string, digits = 1) =>
  (value: number): string =>
    `${value.toFixed(digits)}${unit}`;

/** The verdict on a figure that may not exceed `limit`. */
export const atMost = (what: string, value: number, limit: number, show = ms): Verdict => ({
  promise: `${what} ≤ ${show(limit)}`,
  measured: show(value),
  kept: value <= limit,
});

/** Prints each budget beside its figure; the process then exits with 1 when one was not met. */
export function printVerdicts(verdicts: readonly Verdict[]): void {
  console.log('');
  for (const { promise, measured, kept } of verdicts) {
    console.log(`${kept ? 'kept    ' : 'NOT KEPT'}  ${promise}: ${measured}`);
  }
  if (verdicts.some(({ kept }) => !kept)) process.exitCode = 1;
}
