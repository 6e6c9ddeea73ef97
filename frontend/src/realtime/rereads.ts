const PAUSE_MS = 300;

/**
 * Reads conversations again after a signal that the tab may have missed something. Signals within 300 ms are one read,
 * and none is needed when what was missing has arrived by then.
 */
export class Rereads {
  private readonly waiting = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly checks = new Map<string, (() => boolean)[]>();

  constructor(private readonly read: (conversationId: string) => void) {}

  /** Reads the conversation soon, unless every signal of it is settled by then. */
  unless(conversationId: string, isSettled: () => boolean): void {
    const checks = this.checks.get(conversationId) ?? [];
    this.checks.set(conversationId, [...checks, isSettled]);
    if (this.waiting.has(conversationId)) return;
    this.waiting.set(
      conversationId,
      setTimeout(() => this.settle(conversationId), PAUSE_MS),
    );
  }

  stop(): void {
    for (const timer of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
    this.checks.clear();
  }

  private settle(conversationId: string): void {
    const checks = this.checks.get(conversationId) ?? [];
    this.waiting.delete(conversationId);
    this.checks.delete(conversationId);
    if (!checks.every((isSettled) => isSettled())) this.read(conversationId);
  }
}
