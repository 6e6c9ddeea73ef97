import { type Asked, type Child, LostChildError, startChild } from './child.ts';
import { KEPT_CHILD_MS, KEPT_CPU_SECONDS, KEPT_WORK_MS } from './limits.ts';
import { UnreadableFileError } from './port.ts';

interface KeptChildrenOptions {
  script: string;
  /** Maximum number of waiting children; the one that has waited longest is ended. */
  maxIdle: number;
  idleMs?: number | undefined;
}

interface KeptChild {
  child: Child;
  /** Time of its answers so far, in ms. */
  workMs: number;
  idle?: NodeJS.Timeout;
}

/**
 * Children that stay with one file, so that its next page costs no start (docs/decisions/0030-render-children.md). Requests for one file
 * run one after the other.
 */
export function createKeptChildren(options: KeptChildrenOptions) {
  const { script, maxIdle, idleMs = KEPT_CHILD_MS } = options;
  // The first key is the file whose child has waited longest.
  const idle = new Map<string, KeptChild>();

  const take = (file: string) => {
    const kept = idle.get(file);
    idle.delete(file);
    clearTimeout(kept?.idle);
    kept?.child.setAwaited(true);
    return kept;
  };
  const end = (file: string) => take(file)?.child.kill();

  const keep = (file: string, kept: KeptChild) => {
    kept.child.setAwaited(false);
    kept.idle = setTimeout(() => end(file), idleMs).unref();
    idle.set(file, kept);
    const [oldest] = idle.keys();
    if (idle.size > maxIdle && oldest !== undefined) end(oldest);
  };

  const askIn = async (kept: KeptChild, file: string, asked: Asked) => {
    const before = performance.now();
    let isUsable = false;
    try {
      const answer = await kept.child.ask(asked);
      isUsable = true;
      return answer;
    } catch (error) {
      isUsable = error instanceof UnreadableFileError && !isExhausted(error);
      throw error;
    } finally {
      kept.workMs += performance.now() - before;
      if (isUsable && kept.workMs < KEPT_WORK_MS) keep(file, kept);
      else kept.child.kill();
    }
  };

  const askNew = (file: string, asked: Asked) => {
    const child = startChild({ script, cpuSeconds: KEPT_CPU_SECONDS });
    return askIn({ child, workMs: 0 }, file, asked);
  };

  return {
    /** Calls the child of a file; starts a new one when it has none, or when that one has ended or used up its limits. */
    ask: async (file: string, asked: Asked) => {
      const kept = take(file);
      if (!kept) return unwrapped(askNew(file, asked));
      try {
        return await askIn(kept, file, asked);
      } catch (error) {
        if (!isSpent(error)) throw causeOf(error);
        return unwrapped(askNew(file, asked));
      }
    },
  };
}

/** Earlier requests may have caused the failure. A request that took too long would fail again. */
const isSpent = (error: unknown): boolean =>
  isExhausted(error) || (error instanceof LostChildError && !isTimeout(error.cause));

const isExhausted = (error: unknown): boolean =>
  error instanceof UnreadableFileError && error.code === 'too_complex';

const isTimeout = (error: Error): boolean =>
  error instanceof UnreadableFileError && error.code === 'timed_out';

const causeOf = (error: unknown) => (error instanceof LostChildError ? error.cause : error);

const unwrapped = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw causeOf(error);
  });
