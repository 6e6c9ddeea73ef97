import type { Log } from '../../../log.ts';
import type { ReplyStore } from './model.ts';
import type { GeneratedReply } from './reply-record.ts';
import type { DeltaWriter } from './writer.ts';

/** The heartbeat, and with it the text as far as it has come, is written to the database this often. */
export const HEARTBEAT_MS = 2_000;
/** A reply without a heartbeat for this long has lost its worker, or the worker has lost the database. */
export const STALE_MS = 5_000;

interface Heartbeat {
  reply: Pick<GeneratedReply, 'id' | 'attempt'>;
  writer: Pick<DeltaWriter, 'parts' | 'length'>;
  abort: (why: 'fenced' | 'stopped') => void;
  deps: { replies: Pick<ReplyStore, 'checkpoint'>; now: () => Date; log: Log };
}

/** Writes checkpoints until it is stopped; aborts the attempt when a later one has the reply or a stop is requested. */
export function startHeartbeat({ reply: { id, attempt }, writer, abort, deps }: Heartbeat) {
  let storedLength = writer.length;
  let writing = false;
  const checkpoint = async () => {
    const { length } = writer;
    const parts = length === storedLength ? undefined : writer.parts;
    const stored = await deps.replies.checkpoint({ id, attempt, parts, now: deps.now() });
    storedLength = length;
    if (!stored) abort('fenced');
    else if (stored.stopRequested) abort('stopped');
  };
  const timer = setInterval(() => {
    if (writing) return;
    writing = true;
    checkpoint()
      .catch((error: unknown) => deps.log.warn({ err: error, replyId: id }, 'a checkpoint failed'))
      .finally(() => {
        writing = false;
      });
  }, HEARTBEAT_MS);
  return { stop: () => clearInterval(timer) };
}
