import type { Citation } from './messages.ts';

const SOURCE_LINK = /\[(\d{1,4})\]\(#source=[0-9a-f]{24},\d{1,7},\d{1,9},\d{1,9}\)/g;

/** The text of a reply with `[1]` in the place of its citations' links. */
export const sourcesAsNumbers = (text: string): string => text.replace(SOURCE_LINK, '[$1]');

/** A reply as it leaves the product: `[1]` for its citations, and at the end where each of them stands: a line each by `lineOf`, else in English. */
export function withSourceList(
  text: string,
  citations: readonly Citation[] = [],
  lineOf = sourceLine,
): string {
  const plain = sourcesAsNumbers(text);
  if (plain === text || citations.length === 0) return plain;
  return `${plain}\n\n${citations.map(lineOf).join('\n')}\n`;
}

const sourceLine = ({ n, fileName, page }: Citation): string => `[${n}] ${fileName}, page ${page}`;
