import { MAX_TITLE_LENGTH } from '@stolas/backend/contract';

const ELLIPSIS = '...';
const EARLIEST_WORD_END = 40;
const LATEST_CUT = MAX_TITLE_LENGTH - ELLIPSIS.length;

/**
 * A conversation's title from its first message (docs/product.md, 'Branches and pages'): white space collapsed; at most
 * 60 characters as they are; else cut at the last space after position 40, else after 57, and '...'. A space past
 * position 57 does not count: with the dots the title would pass the limit of 60 ('Limits').
 */
export function deriveTitle(message: string): string {
  const text = message.replace(/\s+/g, ' ').trim();
  if (text.length <= MAX_TITLE_LENGTH) return text;
  const space = text.lastIndexOf(' ', LATEST_CUT);
  return text.slice(0, space > EARLIEST_WORD_END ? space : characterEnd(text)) + ELLIPSIS;
}

// Never splits a surrogate pair: half of an emoji is not text.
const characterEnd = (text: string): number =>
  /[\uD800-\uDBFF]/.test(text.charAt(LATEST_CUT - 1)) ? LATEST_CUT - 1 : LATEST_CUT;
