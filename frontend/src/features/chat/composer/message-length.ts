import { t } from 'virtual:texts/chat';
import { MAX_MESSAGE_LENGTH } from '@stolas/backend/contract';
import { formatNumber } from '../../../lib/number.ts';

/** From here on the composer counts. */
const COUNTED_FROM = 0.9 * MAX_MESSAGE_LENGTH;

/** Whether the server would take the text as a message. */
export const isSendable = (text: string): boolean => text.trim() !== '' && !isTooLong(text);

export const isTooLong = (text: string): boolean => text.length > MAX_MESSAGE_LENGTH;

/** A sentence about the length of a text; undefined while it is well below the limit. */
export function describeLength({ length }: string): string | undefined {
  const limit = formatNumber(MAX_MESSAGE_LENGTH);
  if (length > MAX_MESSAGE_LENGTH) {
    return t('tooLong', { excess: length - MAX_MESSAGE_LENGTH, limit });
  }
  return length > COUNTED_FROM ? t('length', { length: formatNumber(length), limit }) : undefined;
}
