import type { Citation } from './messages.ts';

const SOURCE_LINK = /\[(\d{1,4})\]\(#source=[0-9a-f]{24},\d{1,7},\d{1,9},\d{1,9}\)/g;

/** The text of a reply with `[1]` in the place of its citations' links. */
export const sourcesAsNumbers = (text: string): string => text.replace(SOURCE_LINK, '[$1]');

/** A reply as it leaves the product: `[1]` for its citations, and at the end where each of them stands. */
export function withSourceList(text: string, citations: readonly Citation[] = []): string {
  const plain = sourcesAsNumbers(text);
  if (plain === text || citations.length === 0) return plain;
  const list = citations.map(({ n, fileName, page }) => `[${n}] ${fileName}, page ${page}`);
  return `${plain}\n\n${list.join('\n')}\n`;
}
