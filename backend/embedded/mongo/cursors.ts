import { Long } from 'bson';
import { type Doc, MAX_DOCUMENT, Raw } from './bson.ts';
import { fail } from './errors.ts';

interface Cursor {
  namespace: string;
  documents: Iterator<Uint8Array>;
  /** Read ahead from `documents`, to know whether more follow. */
  next: Uint8Array;
  usedAt: number;
}

/** Shorter than MongoDB's ten minutes: an open cursor may hold a whole sorted result in memory. */
const IDLE_MS = 60_000;

/** The open cursors of all clients. */
export class Cursors {
  readonly #open = new Map<number, Cursor>();
  #lastId = 0;

  /** The answer of a command that reads: the first batch, and a cursor when there is more. */
  first(
    namespace: string,
    documents: Iterator<Uint8Array>,
    { batchSize, single = false }: { batchSize: number; single?: boolean },
  ): Doc {
    const { batch, next } = take(documents, batchSize);
    const id = next && !single ? ++this.#lastId : 0;
    if (next && id) this.#open.set(id, { namespace, documents, next, usedAt: Date.now() });
    return reply(namespace, id, { firstBatch: batch });
  }

  /** The next batch. @throws MongoError 43 */
  more(id: number, batchSize: number): Doc {
    const cursor = this.#open.get(id) ?? fail(43, `cursor id ${id} not found`);
    const { batch, next } = take(resume(cursor), batchSize);
    if (next) Object.assign(cursor, { next, usedAt: Date.now() });
    else this.#open.delete(id);
    return reply(cursor.namespace, next ? id : 0, { nextBatch: batch });
  }

  /** False when the cursor does not exist. */
  close(id: number): boolean {
    return this.#open.delete(id);
  }

  /** Ends all cursors on a collection whose tables change. */
  closeAll(namespace: string): void {
    for (const [id, cursor] of this.#open)
      if (cursor.namespace === namespace) this.#open.delete(id);
  }

  /** Ends cursors without a read for a minute. */
  closeIdle(now: number = Date.now()): void {
    const since = now - IDLE_MS;
    for (const [id, { usedAt }] of this.#open) if (usedAt < since) this.#open.delete(id);
  }
}

const reply = (ns: string, id: number, batch: Doc): Doc => ({
  cursor: { ...batch, id: Long.fromNumber(id), ns },
});

function* resume({ next, documents }: Cursor): Generator<Uint8Array> {
  yield next;
  for (let item = documents.next(); !item.done; item = documents.next()) yield item.value;
}

/** As many documents as fit in an answer, and the one after them. */
function take(documents: Iterator<Uint8Array>, batchSize: number) {
  const batch: Raw[] = [];
  let bytes = 0;
  for (let item = documents.next(); !item.done; item = documents.next()) {
    bytes += item.value.length;
    if (batch.length >= batchSize || (bytes > MAX_DOCUMENT && batch.length > 0))
      return { batch, next: item.value };
    batch.push(new Raw(item.value));
  }
  return { batch, next: undefined };
}
