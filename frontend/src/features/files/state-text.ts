import { t } from 'virtual:texts/fileStates';
import { pageRanges, type UserFile } from '@stolas/backend/contract';

/** Whether a file is still being read. */
export const isBeingRead = ({ state }: UserFile): boolean =>
  state === 'storing' || state === 'waiting' || state === 'reading';

/** A PDF whose pages are pictures without text, which can be viewed but not searched. */
export const isScan = ({ kind, state, problem, pages }: UserFile): boolean =>
  kind === 'pdf' && state === 'failed' && problem?.code === 'no_text' && pages !== undefined;

/** The parts of a file that were not read or are being recognised; undefined when there are none. */
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
    return t('unreadOn', { what, count, pages: pageRanges(pages).join(', ') + more });
  });
  return kinds.join(' · ') || undefined;
}

/** The state of a file's text in a few words; undefined when questions about it can be answered. */
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
