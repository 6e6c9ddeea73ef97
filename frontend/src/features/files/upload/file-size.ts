import { locale } from '../../../i18n/language.ts';

const UNITS = ['KB', 'MB', 'GB'];

/** '340 KB', '1.2 MB', in German '1,2 MB'; below one kilobyte in bytes. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let size = bytes / 1024;
  let unit = 0;
  while (size >= 1023.5 && unit < UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const digits = size < 9.95 ? 1 : 0;
  const format = { maximumFractionDigits: digits, useGrouping: false };
  return `${size.toLocaleString(locale(), format)} ${UNITS[unit]}`;
}
