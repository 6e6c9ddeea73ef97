// A reply is polled every 5 s for up to 180 s (specification, sections 4 and 9), counted from the last news of it. With
// a socket that is normally needless; one that has been silent for two periods is asked all the same, since a
// subscription behind it may have been lost.
const POLL_MS = 5_000;
const GIVE_UP_MS = 180_000;
const SILENCE_MS = 2 * POLL_MS;

interface PollingOptions {
  isConnected: () => boolean;
  ask: (replyId: string) => void;
  /** Polling of a reply begins: the person should know that it takes longer. At most once per reply. */
  onSlow: (replyId: string) => void;
  setStalled: (replyId: string, stalled: boolean) => void;
  now: () => number;
}

interface Watch {
  timer: ReturnType<typeof setInterval>;
  heardAt: number;
  announced: boolean;
  stalled: boolean;
}

/** Looks after the replies on screen that are still being generated. */
export class Polling {
  private readonly watches = new Map<string, Watch>();

  constructor(private readonly options: PollingOptions) {}

  /** @returns a function that ends it. */
  watch(replyId: string): () => void {
    this.begin(replyId, { announced: false });
    return () => this.end(replyId);
  }

  /** Something was heard of the reply, by whichever way. */
  heard(replyId: string): void {
    const watch = this.watches.get(replyId);
    if (watch?.stalled) this.begin(replyId, watch);
    else if (watch) watch.heardAt = this.options.now();
  }

  /** Asks at once and for another full time: the person pressed refresh, or the socket is back. */
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

  private begin(replyId: string, { announced }: Pick<Watch, 'announced'>): void {
    clearInterval(this.watches.get(replyId)?.timer);
    const timer = setInterval(() => this.tick(replyId), POLL_MS);
    const heardAt = this.options.now();
    this.watches.set(replyId, { timer, heardAt, announced, stalled: false });
    this.options.setStalled(replyId, false);
  }

  private end(replyId: string): void {
    clearInterval(this.watches.get(replyId)?.timer);
    this.watches.delete(replyId);
    this.options.setStalled(replyId, false);
  }

  private tick(replyId: string): void {
    const watch = this.watches.get(replyId);
    if (!watch) return;
    const { isConnected, ask, onSlow, setStalled, now } = this.options;
    const silence = now() - watch.heardAt;
    if (isConnected() && silence < SILENCE_MS) return;
    if (!watch.announced) {
      watch.announced = true;
      onSlow(replyId);
    }
    ask(replyId);
    if (silence < GIVE_UP_MS) return;
    clearInterval(watch.timer);
    watch.stalled = true;
    setStalled(replyId, true);
  }
}
