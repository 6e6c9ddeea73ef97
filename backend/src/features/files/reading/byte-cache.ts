interface Entry<T> {
  value: Promise<T>;
  bytes: number;
}

/** Values in memory; the least recently used ones are dropped when the sum exceeds a limit. */
export interface ByteCache<T> {
  /**
   * The value under `key`; loads it when missing, once for all concurrent callers. A failure is not cached.
   * @param load returns the value and its size in bytes
   */
  get: (key: string, load: () => Promise<{ value: T; bytes: number }>) => Promise<T>;
  /** Counts more bytes for a value that has grown; no effect on a dropped value. */
  grow: (key: string, bytes: number) => void;
  delete: (key: string) => void;
  /** The size of all values. */
  readonly bytes: number;
}

export function createByteCache<T>({ maxBytes }: { maxBytes: number }): ByteCache<T> {
  // A Map keeps the order of insertion: the first key is the least recently used.
  const entries = new Map<string, Entry<T>>();
  let total = 0;

  const drop = (key: string) => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  const count = (entry: Entry<T>, bytes: number) => {
    entry.bytes += bytes;
    total += bytes;
    for (const [key, { bytes: taken }] of entries) {
      if (total <= maxBytes) return;
      // A value that is being loaded has no size yet.
      if (taken > 0) drop(key);
    }
  };

  return {
    get: (key, load) => {
      const found = entries.get(key);
      if (found) {
        entries.delete(key);
        entries.set(key, found);
        return found.value;
      }
      const loading = load();
      const entry = { value: loading.then(({ value }) => value), bytes: 0 };
      entries.set(key, entry);
      loading.then(
        ({ bytes }) => entries.get(key) === entry && count(entry, bytes),
        () => entries.get(key) === entry && drop(key),
      );
      return entry.value;
    },
    grow: (key, bytes) => {
      const entry = entries.get(key);
      if (entry) count(entry, bytes);
    },
    delete: drop,
    get bytes() {
      return total;
    },
  };
}
