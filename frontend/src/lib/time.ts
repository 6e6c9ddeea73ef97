import { t } from 'virtual:texts/shared';
import { locale } from '../i18n/language.ts';

const DAY_MS = 86_400_000;

/**
 * Formatters are kept: making one takes many times as long as using it, and each message shows its time. The time zone is part of the key,
 * because it may change while the page is open.
 */
const formats = new Map<string, Intl.DateTimeFormat>();

function format(date: Date, options: Intl.DateTimeFormatOptions): string {
  // The formatter would throw, and the page break.
  if (Number.isNaN(date.getTime())) return String(date);
  const key = JSON.stringify([locale(), date.getTimezoneOffset(), options]);
  const made = formats.get(key) ?? new Intl.DateTimeFormat(locale(), options);
  formats.set(key, made);
  return made.format(date);
}

/** hh:mm in the reader's time zone and the locale of the interface. */
export const formatTime = (iso: string): string =>
  format(new Date(iso), { hour: '2-digit', minute: '2-digit' });

/** Today, Yesterday, the weekday within a week, else the date; the year only when it is another one. */
export function formatDate(iso: string, now = new Date()): string {
  const date = new Date(iso);
  const days = Math.round((startOfDay(now) - startOfDay(date)) / DAY_MS);
  if (days === 0) return t('today');
  if (days === 1) return t('yesterday');
  if (days > 1 && days < 7) return format(date, { weekday: 'long' });
  const sameYear = date.getFullYear() === now.getFullYear();
  return format(date, {
    day: 'numeric',
    month: 'short',
    ...(!sameYear && { year: 'numeric' }),
  });
}

/** The time of something of today, else as `formatDate`. */
export function formatRecent(iso: string, now = new Date()): string {
  const isToday = startOfDay(new Date(iso)) === startOfDay(now);
  return isToday ? formatTime(iso) : formatDate(iso, now);
}

/** The whole date, such as '3 December 2026', in the locale of the interface. */
export const formatDay = (iso: string): string =>
  format(new Date(iso), { day: 'numeric', month: 'long', year: 'numeric' });

/** Day and month, such as 'Dec 1', in the locale of the interface; in the reader's time zone unless another one is given. */
export const formatShortDay = (iso: string, timeZone?: string): string =>
  format(new Date(iso), {
    day: 'numeric',
    month: 'short',
    ...(timeZone && { timeZone }),
  });

const STEPS = [
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** '3 hours ago', in the coarsest unit that is not zero; 'just now' within the first minute. */
export function formatAgo(iso: string, now = new Date()): string {
  const ms = now.getTime() - new Date(iso).getTime();
  const step = STEPS.find(([, length]) => ms >= length);
  if (!step) return t('justNow');
  const [unit, length] = step;
  return new Intl.RelativeTimeFormat(locale()).format(-Math.floor(ms / length), unit);
}

const startOfDay = (date: Date): number =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

const UNITS = [
  ['day', 2 * 86_400, 86_400],
  ['hour', 3_600, 3_600],
  ['minute', 60, 60],
  ['second', 0, 1],
] as const;

/** '30 days', '24 hours': rounded, in the coarsest exact unit, in the locale of the interface. */
export function formatDuration(seconds: number): string {
  const [unit, , length] = UNITS.find(([, from]) => seconds >= from) ?? UNITS[3];
  const format = new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(Math.round(seconds / length));
}
