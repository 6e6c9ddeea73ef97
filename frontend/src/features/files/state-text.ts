import { t } from 'virtual:texts/fileStates';
import type { UserFile } from '@stolas/backend/contract';

/** Whether the text of a file is still to come. */
export const isBeingRead = ({ state }: UserFile): boolean =>
  state === 'storing' || state === 'waiting' || state === 'reading';

/** A PDF whose pages are pictures without text: they can be looked at, but not searched. */
export const isScan = ({ kind, state, problem, pages }: UserFile): boolean =>
  kind === 'pdf' && state === 'failed' && problem?.code === 'no_text' && pages !== undefined;

/** What of a file was not read, or is being recognised; undefined when there is nothing. */
export function describeUnread({ recognition, unread = [] }: UserFile): string | undefined {
  if (recognition) {
    const { done, total } = recognition;
    return t('recognising', { page: Math.min(done + 1, total), total });
  }
  return unread.map(({ kind, count }) => t(`unread_${kind}`, { count })).join(' · ') || undefined;
}

/** As `describeUnread`, with the numbers of the pages. */
export function describeUnreadPages(file: UserFile): string | undefined {
  const { recognition, unread = [] } = file;
  if (recognition) return describeUnread(file);
  const kinds = unread.map(({ kind, count, pages }) => {
    const what = t(`unread_${kind}`, { count });
    const more = count > pages.length ? ', …' : '';
    return t('unreadOn', { what, count, pages: rangesOf(pages) + more });
  });
  return kinds.join(' · ') || undefined;
}

/** Such as `2–4, 7`. */
function rangesOf(pages: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const n of pages) {
    const last = ranges.at(-1);
    if (last && n === last[1] + 1) last[1] = n;
    else ranges.push([n, n]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}

/** What is known of a file's text, in a few words; undefined when it can be asked about. */
export function describeState(file: UserFile): string | undefined {
  const { state, progress } = file;
  if (state === 'storing') return t('storing');
  if (state === 'waiting') return t('waiting');
  if (state === 'failed') return isScan(file) ? t('noText') : t('unreadable');
  if (state === 'ready') return undefined;
  return progress && progress.total > 1
    ? t('readingOf', { done: progress.done, total: progress.total })
    : t('reading');
}
