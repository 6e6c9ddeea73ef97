import type { UserFile } from '@stolas/backend/contract';

/** Whether the text of a file is still to come. */
export const isBeingRead = ({ state }: UserFile): boolean =>
  state === 'storing' || state === 'waiting' || state === 'reading';

/** What is known of a file's text, in a few words; undefined when it can be asked about. */
export function describeState({ state, progress }: UserFile): string | undefined {
  if (state === 'storing') return 'Storing…';
  if (state === 'waiting') return 'Waiting to be read…';
  if (state === 'failed') return 'Could not be read';
  if (state === 'ready') return undefined;
  return progress && progress.total > 1
    ? `Reading ${progress.done} of ${progress.total}…`
    : 'Reading…';
}
