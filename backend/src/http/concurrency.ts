import { unavailable } from '../errors.ts';

/**
 * Bounds what runs at the same time. The returned function calls `run`, and counts it until it has settled, also when the caller has left.
 * It throws AppError unavailable when `limit` calls with the same key are running.
 */
export function createConcurrencyLimit(limit: number) {
  const running = new Map<string, number>();
  return async <T>(key: string, run: () => Promise<T>): Promise<T> => {
    const others = running.get(key) ?? 0;
    if (others >= limit) throw unavailable();
    running.set(key, others + 1);
    try {
      return await run();
    } finally {
      const left = (running.get(key) ?? 1) - 1;
      if (left > 0) running.set(key, left);
      else running.delete(key);
    }
  };
}
