import type { Log } from '../../../log.ts';
import type { CompleteSend } from '../messages/index.ts';
import type { Finisher } from './finish.ts';
import { STALE_MS } from './heartbeat.ts';
import type { ReplyStore } from './model.ts';
import type { ReplyQueue } from './queue.ts';

// A worker writes its heartbeat every 2 s, so a reply without one for 5 s has either no worker or a job that waits.
// With a sweep every 3 s nothing stays without a job for more than 8 s.
export const SWEEP_EVERY_MS = 3_000;
const BATCH = 500;
const AT_ONCE = 10;

interface SweeperDeps {
  replies: Pick<ReplyStore, 'findStale' | 'claimStale'>;
  completeSend: CompleteSend;
  finisher: Pick<Finisher, 'settleLate'>;
  queue: Pick<ReplyQueue, 'ensureQueued'>;
  now: () => Date;
  log: Log;
}

/**
 * Finds replies that no worker has: accepted but never enqueued, or dropped by the queue. Enqueues them again; the
 * worker that gets one decides whether to start, to interrupt or to give up. Several sweepers may run: each reply is
 * handled by one of them.
 */
export function createSweeper(deps: SweeperDeps) {
  const { replies, completeSend, finisher, queue, now, log } = deps;

  const revive = async (id: string, cutoffs: { staleBefore: Date; sweptBefore: Date }) => {
    const reply = await replies.claimStale({ id, now: now(), ...cutoffs });
    if (!reply) return;
    await queue.ensureQueued(reply);
    await completeSend(reply);
  };

  const reviveAll = async () => {
    const before = new Date(now().getTime() - STALE_MS);
    const cutoffs = { staleBefore: before, sweptBefore: before };
    const ids = await replies.findStale({ ...cutoffs, limit: BATCH });
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const slice = ids.slice(from, from + AT_ONCE);
      const results = await Promise.allSettled(slice.map((id) => revive(id, cutoffs)));
      for (const [i, result] of results.entries())
        if (result.status === 'rejected')
          log.warn(
            { err: result.reason, replyId: slice[i] },
            'a reply could not be enqueued again',
          );
    }
  };

  return async (): Promise<void> => {
    try {
      await reviveAll();
    } finally {
      await finisher.settleLate(new Date(now().getTime() - STALE_MS));
    }
  };
}
