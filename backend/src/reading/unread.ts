import type { Unread } from '../contract/files.ts';
import { MAX_UNREAD_PAGES } from './limits.ts';
import type { ReadPage } from './port.ts';

/** What of a file's pages was not read, a kind each. */
export function unreadOf(pages: readonly Pick<ReadPage, 'n' | 'unread'>[]): Unread[] {
  const found: Unread[] = [];
  for (const { n, unread: kind } of pages) {
    if (!kind) continue;
    const known = found.find((one) => one.kind === kind);
    const noted = known ?? { kind, count: 0, pages: [] };
    if (!known) found.push(noted);
    noted.count += 1;
    if (noted.pages.length < MAX_UNREAD_PAGES) noted.pages.push(n);
  }
  return found;
}
