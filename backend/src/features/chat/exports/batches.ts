/** Items per batch; the process serves other requests between two batches. */
const BATCH_MESSAGES = 500;
const BATCH_BYTES = 512 * 1024;

/** The items in order, in batches within both limits. An item above the size limit is a batch by itself. */
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
