import { deltasFrom } from '../messages/index.ts';
import type { GenerationFeature, ReplyWorker } from './feature.ts';
import { lostReply, settleLate } from './finish.ts';
import { HEARTBEAT_MS } from './heartbeats.ts';
import { ensureReplyQueued } from './queue.ts';
import type { AttemptKey, ReplyKey } from './reply-record.ts';
import type { DeltaWriter } from './writer.ts';

/**
 * Every fifth heartbeat has the text since the last one that had text, so that the database writes less: the log has the rest. It is also
 * written when a part of it has ended, and with each heartbeat while the log does not accept it.
 */
export const BEATS_PER_TEXT = 5;
/** Without a heartbeat for this long, the worker is lost or has lost the database. */
export const STALE_MS = 5_000;

// A reply without a heartbeat for 5 s has no worker, or its job waits. With a sweep every 3 s, no reply stays without a job for more than 8
// s.
export const SWEEP_EVERY_MS = 3_000;
const BATCH = 500;
const AT_ONCE = 10;

interface Heartbeat {
  reply: AttemptKey;
  writer: Pick<DeltaWriter, 'parts' | 'length'> & Partial<Pick<DeltaWriter, 'isLogged'>>;
  abort: (why: 'fenced' | 'stopped') => void;
  /** Tokens of the prompts sent so far; undefined before the first. */
  sentTokens?: () => Promise<number | undefined>;
  /** The attempt has the reply: called after a heartbeat was stored. */
  onBeat?: () => void;
}

/** Writes checkpoints until it is stopped; aborts the attempt when a later one has the reply or a stop is requested. */
export function startHeartbeat(
  { heartbeats, now, log }: Pick<ReplyWorker, 'heartbeats' | 'now' | 'log'>,
  { reply, writer, abort, sentTokens, onBeat }: Heartbeat,
) {
  const { id, conversationId, attempt } = reply;
  const key = { id, conversationId, attempt };
  let last = { length: writer.length, parts: writer.parts.length, beats: 0 };
  let writing: Promise<boolean> | undefined;
  let isStopped = false;
  const write = async (withText: boolean) => {
    const begunAt = now().getTime();
    const promptTokens = await sentTokens?.();
    const sent = promptTokens === undefined ? undefined : { promptTokens };
    const { length, parts } = writer;
    last = { ...last, beats: last.beats + 1 };
    const isDue = withText || isTextDue(writer, last);
    const deltas = isDue && length > last.length ? deltasFrom(parts, last.length) : undefined;
    const next = deltas && { length, parts: parts.length, beats: 0 };
    const stored = await heartbeats.store({ ...key, deltas, sent, now: now() });
    if (next) last = next;
    if (!stored) abort('fenced');
    else if (stored.stopRequested) abort('stopped');
    // The reply may have ended meanwhile, or another worker may have it if this one was frozen.
    else if (!isStopped && now().getTime() - begunAt < HEARTBEAT_MS) onBeat?.();
    return stored !== null;
  };
  const checkpoint = ({ withText = false } = {}) => {
    writing = write(withText).finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const end = heartbeats.every(() => {
    if (!writing)
      checkpoint().catch((error: unknown) =>
        log.warn({ err: error, replyId: id }, 'checkpoint failed'),
      );
  });
  return {
    stop: () => {
      isStopped = true;
      end();
    },

    /**
     * Writes a checkpoint with the text that begins now: the next log may begin after it.
     * @throws FencedError when a later attempt has the reply, or it was removed
     */
    confirm: async (): Promise<void> => {
      // The running write may have been accepted before.
      await writing?.catch(() => undefined);
      if (!(await checkpoint({ withText: true }))) throw lostReply();
    },
  };
}

const isTextDue = (
  { parts, isLogged }: Heartbeat['writer'],
  last: { parts: number; beats: number },
): boolean =>
  last.beats >= BEATS_PER_TEXT || parts.length > Math.max(1, last.parts) || isLogged === false;

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
  const stale = await replies.findStale({ ...cutoffs, limit: BATCH });
  for (let from = 0; from < stale.length; from += AT_ONCE) {
    const slice = stale.slice(from, from + AT_ONCE);
    const results = await Promise.allSettled(slice.map((key) => revive(generation, key, cutoffs)));
    for (const [i, result] of results.entries())
      if (result.status === 'rejected')
        log.warn(
          { err: result.reason, replyId: slice[i]?.id },
          'reply could not be enqueued again',
        );
  }
}

async function revive(
  generation: GenerationFeature,
  key: ReplyKey,
  cutoffs: { staleBefore: Date; sweptBefore: Date },
) {
  const { replies, completeSend, now } = generation;
  const reply = await replies.leaseStale({ ...key, now: now(), ...cutoffs });
  if (!reply) return;
  await ensureReplyQueued(generation, reply);
  await completeSend(reply);
}
