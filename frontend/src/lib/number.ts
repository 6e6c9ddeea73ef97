import { locale } from '../i18n/language.ts';

// In the locale of the interface, never in another one of the user's: within an English sentence '200.000' reads as 200.

/** '200,000' */
export const formatNumber = (value: number): string => value.toLocaleString(locale());

/** '1.2', '3.0' */
export const formatTenths = (value: number): string =>
  value.toLocaleString(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** '200K' */
export const formatCompact = (value: number): string =>
  value.toLocaleString(locale(), { notation: 'compact' });

/** The used share in whole percent, 0 to 100, rounded down: 100 means that nothing is left. */
export const percentOf = ({ used, limit }: { used: number; limit: number }): number =>
  limit > 0 ? Math.min(100, Math.floor((used * 100) / limit)) : 100;

/** '85%' */
export const formatPercent = (percent: number): string =>
  (percent / 100).toLocaleString(locale(), { style: 'percent' });

/** Rounded to two digits, for texts with 'about': 117 is 120. */
export function about(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1);
  return Math.round(Math.floor(value) / unit) * unit;
}

/** The approximate number of messages for some tokens. */
export const messagesOf = (tokens: number, tokensPerMessage: number): number =>
  about(Math.max(0, tokens) / tokensPerMessage);

/** The typed number without its grouping. Other text is returned unchanged: the server says what is wrong with it. */
export function parseNumber(text: string): number | string {
  const parts = new Intl.NumberFormat(locale()).formatToParts(1_000_000);
  const group = parts.find(({ type }) => type === 'group')?.value ?? ',';
  const digits = text.replaceAll(group, '').replaceAll(/[\s'’]/g, '');
  return /^\d+$/.test(digits) ? Number(digits) : text;
}
