import type { ReadPage } from '../../../reading/index.ts';

/** Pages of one file whose text is recognised; the others stay named as not read. */
export const MAX_RECOGNISED_PAGES = 500;

/** Whether recognition may find what a page shows and its text does not say. */
export const isRecognisable = ({ unread }: Pick<ReadPage, 'unread'>): boolean =>
  unread === 'picture' || unread === 'font';

/** UTF-8 bytes of the text of all pages; 0 when it is white space. */
export function textBytesOf(pages: readonly ReadPage[]): number {
  if (pages.every(({ text }) => text.trim() === '')) return 0;
  return pages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}
