import { language, locale } from '../i18n/language.ts';

/** English amounts are written as in the US, where the prices come from: '$29', never 'US$29'. */
const amounts = (): string => (language() === 'en' ? 'en-US' : locale());

/** '$29', '$1,718.40': with cents only when there are any. */
export const formatDollars = (dollars: number): string =>
  dollars.toLocaleString(amounts(), {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: Number.isInteger(dollars) ? 0 : 2,
  });

/**
 * An amount as the payment provider states it.
 * @param amount in the smallest unit of the currency
 * @param currency ISO 4217
 */
export function formatAmount(amount: number, currency: string): string {
  const format = new Intl.NumberFormat(amounts(), { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}
