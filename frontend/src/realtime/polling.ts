/** Replies are polled at this interval (docs/product.md, 'Sending and receiving'). */
export const POLL_MS = 5_000;
/** Polling ends when there was no news for this long. */
export const GIVE_UP_MS = 180_000;
/** With a socket, a reply is polled only after this long without news: the subscription behind it may be lost. */
const SILENCE_MS = 2 * POLL_MS;

interface PollingOptions {
  isConnected: () => boolean;
  ask: (replyId: string) => void;
  /** A reply was polled and goes on: the user should know that it takes longer. At most once per reply. */
  onSlow: (replyId: string) => void;
  /** A reply of which `onSlow` informed is no longer watched. */
  onSlowEnded: (replyId: string) => void;
  setStalled: (replyId: string, stalled: boolean) => void;
  now: () => number;
}

interface Watch {
  timer: ReturnType<typeof setInterval>;
  heardAt: number;
  asked: boolean;
  announced: boolean;
  stalled: boolean;
}

/** Polls the replies on screen that are still being generated. */
export class Polling {
  private readonly watches = new Map<string, Watch>();

  constructor(private readonly options: PollingOptions) {}

  /** @returns a function that ends it. */
  watch(replyId: string): () => void {
    this.begin(replyId, { asked: false, announced: false });
    return () => this.end(replyId);
  }

  /** There is news of the reply, pushed or read. */
  heard(replyId: string): void {
    const watch = this.watches.get(replyId);
    if (watch?.stalled) this.begin(replyId, watch);
    else if (watch) watch.heardAt = this.options.now();
  }

  /** Polls at once and restarts the time limit: the user pressed Refresh, or the socket is connected again. */
  refresh(replyId: string): void {
    const watch = this.watches.get(replyId);
    if (!watch) return;
    this.begin(replyId, watch);
    this.options.ask(replyId);
  }

  isWatching(replyId: string): boolean {
    return this.watches.has(replyId);
  }

  refreshAll(): void {
    for (const replyId of this.watches.keys()) this.refresh(replyId);
  }

  stop(): void {
    for (const replyId of this.watches.keys()) this.end(replyId);
  }

  private begin(replyId: string, { asked, announced }: Pick<Watch, 'asked' | 'announced'>): void {
    clearInterval(this.watches.get(replyId)?.timer);
    const timer = setInterval(() => this.tick(replyId), POLL_MS);
    const heardAt = this.options.now();
    this.watches.set(replyId, { timer, heardAt, asked, announced, stalled: false });
    this.options.setStalled(replyId, false);
  }

  private end(replyId: string): void {
    const watch = this.watches.get(replyId);
    clearInterval(watch?.timer);
    this.watches.delete(replyId);
    this.options.setStalled(replyId, false);
    if (watch?.announced) this.options.onSlowEnded(replyId);
  }

  private tick(replyId: string): void {
    const watch = this.watches.get(replyId);
    if (!watch) return;
    const { isConnected, ask, onSlow, setStalled, now } = this.options;
    const silence = now() - watch.heardAt;
    if (isConnected() && silence < SILENCE_MS) return;
    // The first poll may report the end. Offline, the notice about it explains why nothing arrives.
    if (watch.asked && !watch.announced && navigator.onLine) {
      watch.announced = true;
      onSlow(replyId);
    }
    watch.asked = true;
    ask(replyId);
    if (silence < GIVE_UP_MS) return;
    clearInterval(watch.timer);
    watch.stalled = true;
    setStalled(replyId, true);
  }
}
