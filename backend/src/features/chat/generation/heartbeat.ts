import type { GenerationFeature } from './feature.ts';
import { settleLate } from './finish.ts';
import { FencedError } from './log.ts';
import { ensureReplyQueued } from './queue.ts';
import type { GeneratedReply } from './reply-record.ts';
import type { DeltaWriter } from './writer.ts';

/** The interval in which heartbeat and text so far are written to the database. */
export const HEARTBEAT_MS = 2_000;
/** Without a heartbeat for this long, the worker is lost or has lost the database. */
export const STALE_MS = 5_000;

// A reply without a heartbeat for 5 s has no worker, or its job waits. With a sweep every 3 s, no reply stays without a job for more than 8
// s.
export const SWEEP_EVERY_MS = 3_000;
const BATCH = 500;
const AT_ONCE = 10;

interface Heartbeat {
  reply: Pick<GeneratedReply, 'id' | 'attempt'>;
  writer: Pick<DeltaWriter, 'parts' | 'length'>;
  abort: (why: 'fenced' | 'stopped') => void;
  /** Tokens of the prompts sent so far; undefined before the first. */
  sentTokens?: () => Promise<number | undefined>;
}

/** Writes checkpoints until it is stopped; aborts the attempt when a later one has the reply or a stop is requested. */
export function startHeartbeat(
  { replies, now, log }: Pick<GenerationFeature, 'replies' | 'now' | 'log'>,
  { reply, writer, abort, sentTokens }: Heartbeat,
) {
  const { id, attempt } = reply;
  let storedLength = writer.length;
  let writing: Promise<boolean> | undefined;
  const write = async () => {
    const promptTokens = await sentTokens?.();
    const sent = promptTokens === undefined ? undefined : { promptTokens };
    const { length } = writer;
    const parts = length === storedLength ? undefined : writer.parts;
    const stored = await replies.checkpoint({ id, attempt, parts, sent, now: now() });
    storedLength = length;
    if (!stored) abort('fenced');
    else if (stored.stopRequested) abort('stopped');
    return stored !== null;
  };
  const checkpoint = () => {
    writing = write().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const timer = setInterval(() => {
    if (!writing)
      checkpoint().catch((error: unknown) =>
        log.warn({ err: error, replyId: id }, 'checkpoint failed'),
      );
  }, HEARTBEAT_MS);
  return {
    stop: () => clearInterval(timer),

    /**
     * Writes a checkpoint that begins now.
     * @throws FencedError when a later attempt has the reply, or it was removed
     */
    confirm: async (): Promise<void> => {
      // The running write may have been accepted before.
      await writing?.catch(() => undefined);
      if (!(await checkpoint()))
        throw new FencedError('A later attempt has this reply, or it was removed.');
    },
  };
}

/**
 * Finds active replies without a worker, which were never enqueued or which the queue dropped, and enqueues them again. The worker that
 * gets one decides whether to start, interrupt or give up. Several sweeps may run: each reply is handled by one of them.
 */
export async function sweepReplies(generation: GenerationFeature): Promise<void> {
  const { now } = generation;
  try {
    await reviveAll(generation);
  } finally {
    await settleLate(generation, new Date(now().getTime() - STALE_MS));
  }
}

async function reviveAll(generation: GenerationFeature) {
  const { replies, now, log } = generation;
  const before = new Date(now().getTime() - STALE_MS);
  const cutoffs = { staleBefore: before, sweptBefore: before };
  const ids = await replies.findStale({ ...cutoffs, limit: BATCH });
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const slice = ids.slice(from, from + AT_ONCE);
    const results = await Promise.allSettled(slice.map((id) => revive(generation, id, cutoffs)));
    for (const [i, result] of results.entries())
      if (result.status === 'rejected')
        log.warn({ err: result.reason, replyId: slice[i] }, 'reply could not be enqueued again');
  }
}

async function revive(
  generation: GenerationFeature,
  id: string,
  cutoffs: { staleBefore: Date; sweptBefore: Date },
) {
  const { replies, completeSend, now } = generation;
  const reply = await replies.leaseStale({ id, now: now(), ...cutoffs });
  if (!reply) return;
  await ensureReplyQueued(generation, reply);
  await completeSend(reply);
}
