import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { messagesKey } from './cache.ts';
import { numbersOf } from './channel-numbers.ts';

/** Lists around the conversation are read again within this time, so that many tabs do not all read them at once. */
const SPREAD_MS = 3_000;
/** What could not be read is read again after this long, and up to twice as long. */
const RETRY_MS = 10_000;
/** After this long without a connection everything is read again: a server that was killed may never have published an event. */
const MAX_AWAY_MS = 10 * 60_000;

const [MESSAGES] = messagesKey('');
const isMessages = ([root]: QueryKey) => root === MESSAGES;

interface CatchUpOptions {
  client: QueryClient;
  /** Asks for the text of the replies that are being generated on screen. */
  refreshReplies: () => void;
  /** An error of a read that another read does not solve. */
  isFinal: (error: unknown) => boolean;
  now: () => number;
}

/** Reads what this tab shows again after events may be missing. */
export class CatchUp {
  private readonly timers = new Set<ReturnType<typeof setTimeout>>();
  private hasJoined = false;
  private awaySince = Number.POSITIVE_INFINITY;
  private retry: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: CatchUpOptions) {
    numbersOf(options.client).onFailed = (error) => this.retryLater(error);
  }

  joined({ number }: { number?: number }): void {
    const { client, now } = this.options;
    if (now() - this.awaySince > MAX_AWAY_MS) numbersOf(client).join(undefined);
    this.awaySince = Number.POSITIVE_INFINITY;
    numbersOf(client).join(number);
    // A page that opens reads at once.
    this.readAgain(this.hasJoined ? SPREAD_MS : 0);
    this.hasJoined = true;
  }

  disconnected(): void {
    numbersOf(this.options.client).disconnected();
    this.awaySince = Math.min(this.awaySince, this.options.now());
  }

  gap({ spreadMs, number }: { spreadMs: number; number?: number }): void {
    const numbers = numbersOf(this.options.client);
    numbers.disconnected();
    numbers.join(number);
    this.later(spreadMs, () => {
      this.options.refreshReplies();
      this.readAgain();
    });
  }

  /** Messages now, the lists around them within `spreadMs`. Messages that are not on screen are dropped. */
  readAgain(spreadMs = SPREAD_MS): void {
    const numbers = numbersOf(this.options.client);
    numbers.catchUp(isMessages, { drop: true });
    this.later(spreadMs, () => numbers.catchUp((queryKey) => !isMessages(queryKey)));
  }

  stop(): void {
    this.hasJoined = false;
    numbersOf(this.options.client).leave();
    clearTimeout(this.retry);
    this.retry = undefined;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }

  /** The next connection reads it anyway; one that stays would never tell that something is missing. */
  private retryLater(error: unknown): void {
    if (this.options.isFinal(error)) return;
    this.retry ??= setTimeout(
      () => {
        this.retry = undefined;
        if (this.awaySince === Number.POSITIVE_INFINITY) this.readAgain();
      },
      RETRY_MS * (1 + Math.random()),
    );
  }

  /** Runs at a random time within `spreadMs`. */
  private later(spreadMs: number, run: () => void): void {
    if (spreadMs === 0) return run();
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      run();
    }, spreadMs * Math.random());
    this.timers.add(timer);
  }
}
