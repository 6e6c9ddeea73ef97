/** What is read or stored at once: others are served between two batches. */
const BATCH_MESSAGES = 500;
const BATCH_BYTES = 512 * 1024;

/** The items in their order, in batches within both limits; one that is larger is a batch of its own. */
export function* batches<T>(items: Iterable<T>, bytesOf: (item: T) => number): Generator<T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (batch.length > 0 && (bytes + size > BATCH_BYTES || batch.length === BATCH_MESSAGES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
