import type { ReplyStore } from './model.ts';
import type { Checkpoint } from './reply-record.ts';

/** The interval in which the heartbeat of a reply is written to the database. */
export const HEARTBEAT_MS = 2_000;
/** Heartbeats in one command, which the process and the database handle in a few milliseconds. */
const MOST_AT_ONCE = 100;

type Stored = { stopRequested: boolean } | null;

interface Waiting {
  checkpoint: Checkpoint;
  resolve: (stored: Stored | Promise<Stored>) => void;
  reject: (error: unknown) => void;
}

/** One timer for all replies that a process writes, so that their heartbeats are one command for up to 100 of them. */
export class Heartbeats {
  private readonly beats = new Set<() => void>();
  private readonly waiting: Waiting[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly replies: Pick<ReplyStore, 'checkpoint' | 'beatAll'>) {}

  /** Calls `beat` every 2 s. @returns a function that ends it */
  every(beat: () => void): () => void {
    this.beats.add(beat);
    this.timer ??= setInterval(() => {
      for (const one of this.beats) one();
    }, HEARTBEAT_MS);
    return () => {
      this.beats.delete(beat);
      if (this.beats.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  /**
   * Writes a checkpoint, together with the others of the moment.
   * @returns whether a stop was requested, or null when a later attempt has the reply
   */
  store(checkpoint: Checkpoint): Promise<Stored> {
    if (this.waiting.length === 0) setImmediate(() => void this.storeWaiting());
    return new Promise((resolve, reject) => {
      this.waiting.push({ checkpoint, resolve, reject });
    });
  }

  private async storeWaiting(): Promise<void> {
    const waiting = this.waiting.splice(0);
    for (let from = 0; from < waiting.length; from += MOST_AT_ONCE)
      await this.storeTogether(waiting.slice(from, from + MOST_AT_ONCE));
  }

  /** The answer of one command does not say which of several replies go on: unless all do, each is asked for. */
  private async storeTogether(waiting: readonly Waiting[]): Promise<void> {
    try {
      const checkpoints = waiting.map(({ checkpoint }) => checkpoint);
      const goOn = checkpoints.length > 1 && (await this.replies.beatAll(checkpoints));
      for (const { checkpoint, resolve } of waiting)
        resolve(goOn ? { stopRequested: false } : this.replies.checkpoint(checkpoint));
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
