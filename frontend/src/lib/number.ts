// The interface is English, and so are its numbers: within an English sentence '200.000' reads as 200.
const LOCALE = 'en';
const WHOLE = new Intl.NumberFormat(LOCALE);
const COMPACT = new Intl.NumberFormat(LOCALE, { notation: 'compact' });
const PERCENT = new Intl.NumberFormat(LOCALE, { style: 'percent' });

/** '200,000' */
export const formatNumber = (value: number): string => WHOLE.format(value);

/** '200K' */
export const formatCompact = (value: number): string => COMPACT.format(value);

/** The used share in whole percent, 0 to 100, rounded down: 100 means that nothing is left. */
export const percentOf = ({ used, limit }: { used: number; limit: number }): number =>
  limit > 0 ? Math.min(100, Math.floor((used * 100) / limit)) : 100;

/** '85%' */
export const formatPercent = (percent: number): string => PERCENT.format(percent / 100);

const UNITS = ['KB', 'MB', 'GB', 'TB'];

/** '1.2 GB'; a KB is 1024 bytes. One decimal below 10 of a unit, else none. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
  let value = bytes / 1024;
  let unit = 0;
  while (Math.round(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const shown = value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
  return `${shown} ${UNITS[unit]}`;
}
