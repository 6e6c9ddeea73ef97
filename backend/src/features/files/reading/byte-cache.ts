interface Entry<T> {
  value: Promise<T>;
  bytes: number;
}

/** Values in memory, the least recently used leaving first once all together take more than a limit. */
export interface ByteCache<T> {
  /**
   * The value under `key`; loads it when it is not there, once for all that ask at the same time. A failure is not kept.
   * @param load answers the value and the bytes that it takes
   */
  get: (key: string, load: () => Promise<{ value: T; bytes: number }>) => Promise<T>;
  /** Counts more bytes for a value that has grown; nothing happens when it has left. */
  grow: (key: string, bytes: number) => void;
  delete: (key: string) => void;
  /** Bytes that all values take now. */
  readonly bytes: number;
}

export function createByteCache<T>({ maxBytes }: { maxBytes: number }): ByteCache<T> {
  // A Map keeps the order of insertion: the first key is the least recently used one.
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
      // One that is being loaded takes nothing yet.
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
