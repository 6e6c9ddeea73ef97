import type { Log } from '../../log.ts';
import type { createShareStore } from './share-model.ts';

/** Links whose openings wait to be stored; those of others are not counted. */
const MAX_WAITING = 10_000;

interface Needs {
  shares: Pick<ReturnType<typeof createShareStore>, 'countOpenings'>;
  now: () => Date;
  log: Log;
}

/**
 * Counts the openings of links. Answers do not wait for it: openings of one link are summed up until the write before has ended, so that
 * a process writes one at a time, however often links are opened.
 */
export function createOpenings({ shares, now, log }: Needs) {
  const waiting = new Map<string, number>();
  let isStoring = false;

  const store = async (): Promise<void> => {
    for (const [id, openings] of waiting) {
      waiting.delete(id);
      await shares
        .countOpenings(id, openings, now())
        .catch((error: unknown) => log.warn({ err: error }, 'openings of a link not counted'));
    }
  };
  return {
    count: (id: string): void => {
      if (!waiting.has(id) && waiting.size >= MAX_WAITING) return;
      waiting.set(id, (waiting.get(id) ?? 0) + 1);
      if (isStoring) return;
      isStoring = true;
      void store().finally(() => {
        isStoring = false;
      });
    },
  };
}
