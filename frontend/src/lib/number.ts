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
