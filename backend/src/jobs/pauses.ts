import type { Worker } from 'bullmq';
import type { LoopDelay } from './loop-delay.ts';
import type { SharedLimit } from './shared-limit.ts';

/** The wait after Redis has refused a command (OOM, MOVED, LOADING …). BullMQ itself would try again at once, thousands of times a second. */
const REFUSED_WAIT_MS = 1_000;
/** A later event loop would delay the text of all replies that this process streams. */
const MAX_DELAY_MS = 50;
/** So few jobs do not make the event loop late: then the machine is busy, and waiting would not help. */
const ALWAYS_RUNNING = 8;

/** A worker as it is paused: running jobs continue, no further ones are taken. */
type Pausable = Pick<Worker, 'pause' | 'resume' | 'closing' | 'on'>;
type Reason = 'refused' | 'late' | 'full';

function pausesOf(worker: Pausable) {
  const reasons = new Set<Reason>();
  return {
    begin: (reason: Reason) => {
      if (worker.closing) return;
      if (reasons.size === 0) void worker.pause(true);
      reasons.add(reason);
    },
    end: (reason: Reason) => {
      if (reasons.delete(reason) && reasons.size === 0 && !worker.closing) void worker.resume();
    },
    has: (reason: Reason) => reasons.has(reason),
  };
}

interface PauseOptions {
  /** With it, the worker takes jobs only while the event loop of its process is free. */
  loopDelay?: LoopDelay | undefined;
  /** With it, the worker takes jobs only while a place is free. */
  limit?: SharedLimit | undefined;
  running: () => number;
}

/**
 * Pauses a worker for a moment after Redis refused a command, while the event loop is late, and while the workers of its process run as many
 * jobs as they may. Connections wait by themselves.
 */
export function pauseWhenNeeded(
  worker: Pausable,
  { loopDelay, limit, running }: PauseOptions,
): void {
  const pauses = pausesOf(worker);
  worker.on('error', ({ name }) => {
    if (name !== 'ReplyError' || pauses.has('refused')) return;
    pauses.begin('refused');
    setTimeout(() => pauses.end('refused'), REFUSED_WAIT_MS).unref();
  });
  loopDelay?.onWindow((delayMs) => {
    if (delayMs >= MAX_DELAY_MS && running() >= ALWAYS_RUNNING) pauses.begin('late');
    else pauses.end('late');
  });
  limit?.onChange((isFull) => (isFull ? pauses.begin('full') : pauses.end('full')));
}
