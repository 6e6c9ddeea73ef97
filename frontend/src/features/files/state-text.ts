import { t } from 'virtual:texts/fileStates';
import type { UserFile } from '@stolas/backend/contract';

/** Whether the text of a file is still to come. */
export const isBeingRead = ({ state }: UserFile): boolean =>
  state === 'storing' || state === 'waiting' || state === 'reading';

/** A PDF whose pages are pictures without text: they can be looked at, but not searched. */
export const isScan = ({ kind, state, problem, pages }: UserFile): boolean =>
  kind === 'pdf' && state === 'failed' && problem?.code === 'no_text' && pages !== undefined;

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
