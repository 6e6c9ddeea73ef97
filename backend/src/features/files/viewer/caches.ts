import type { PageMarks } from '../../../contract/files.ts';
import { createByteCache } from '../reading/byte-cache.ts';
import { createSharedCalls } from './shared-calls.ts';

const MARKS_CACHE_BYTES = 4 * 1024 * 1024;
/** Maximum number of pictures that one process renders or queues: of all users, and of one. */
const MAX_RENDERING = 50;
const MAX_RENDERING_OF_USER = 12;
/** A page that took too much time or memory is not rendered again for this long. */
const REFUSED_MS = 10 * 60_000;
const MAX_REFUSED = 1_000;

export const createMarksCache = () => createByteCache<PageMarks>({ maxBytes: MARKS_CACHE_BYTES });

/** The pictures that this process renders, and those that it refuses for a while. */
export const createRenderings = (now: () => Date) => ({
  share: createSharedCalls<Buffer>({ max: MAX_RENDERING, maxOfGroup: MAX_RENDERING_OF_USER }),
  refusals: createRefusals(now),
});

/** Pictures that exhausted their child, so that repeated requests cost nothing. */
function createRefusals(now: () => Date) {
  // The first key is the oldest.
  const until = new Map<string, number>();
  return {
    has: (key: string) => (until.get(key) ?? 0) > now().getTime(),
    add: (key: string) => {
      until.delete(key);
      until.set(key, now().getTime() + REFUSED_MS);
      const [oldest] = until.keys();
      if (until.size > MAX_REFUSED && oldest !== undefined) until.delete(oldest);
    },
  };
}
