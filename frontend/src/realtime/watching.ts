import { TYPING_EVERY_MS, type WatchAnswer } from '@stolas/backend/contract';
import { forgetAllPresence, forgetPresence, presenceOf } from './presence.ts';

/** A watch that failed is repeated after this long, and up to twice as long. */
const RETRY_MS = 5_000;

/** Asks the server for the deltas of a conversation. It rejects when there is no answer in time. */
export interface WatchCalls {
  watch: (conversationId: string) => Promise<WatchAnswer>;
  unwatch: (conversationId: string) => void;
  typing: (conversationId: string) => void;
}

interface Shown {
  /** The places of the page that show it. */
  count: number;
  isConfirmed: boolean;
  /** When the tab last said that its user is writing. */
  saidTyping?: number;
  timer?: ReturnType<typeof setTimeout>;
}

/** The conversations that this tab shows: it watches each on every connection. */
export class Watching {
  private readonly shown = new Map<string, Shown>();
  private calls: WatchCalls | undefined;

  /** `onSettled`: from here on deltas arrive, or the server has refused them; then replies are polled. */
  constructor(private readonly onSettled: (conversationId: string) => void) {}

  /** @returns a function that ends it. */
  show(conversationId: string): () => void {
    const shown = this.shown.get(conversationId) ?? { count: 0, isConfirmed: false };
    this.shown.set(conversationId, shown);
    shown.count += 1;
    if (shown.count === 1) void this.watch(conversationId, shown);
    return () => {
      shown.count -= 1;
      if (shown.count === 0) this.forget(conversationId, shown);
    };
  }

  isShown(conversationId: string): boolean {
    return this.shown.has(conversationId);
  }

  /** Whether its deltas arrive. */
  isConfirmed(conversationId: string): boolean {
    return this.shown.get(conversationId)?.isConfirmed ?? false;
  }

  /** The user is writing a message: the others who have the conversation open learn it, now and then. */
  writes(conversationId: string): void {
    const shown = this.shown.get(conversationId);
    if (!shown?.isConfirmed || (presenceOf(conversationId)?.count ?? 0) < 2) return;
    if (Date.now() - (shown.saidTyping ?? 0) < TYPING_EVERY_MS) return;
    shown.saidTyping = Date.now();
    this.calls?.typing(conversationId);
  }

  connected(calls: WatchCalls): void {
    this.calls = calls;
    for (const [id, shown] of this.shown) void this.watch(id, shown);
  }

  disconnected(): void {
    this.calls = undefined;
    forgetAllPresence();
    for (const shown of this.shown.values()) {
      shown.isConfirmed = false;
      clearTimeout(shown.timer);
    }
  }

  private forget(conversationId: string, shown: Shown): void {
    clearTimeout(shown.timer);
    this.shown.delete(conversationId);
    forgetPresence(conversationId);
    this.calls?.unwatch(conversationId);
  }

  private async watch(id: string, shown: Shown, isRetry = false): Promise<void> {
    const { calls } = this;
    if (!calls) return;
    const answer = await calls.watch(id).catch(() => null);
    // The connection may have changed meanwhile, or the page.
    if (calls !== this.calls || shown !== this.shown.get(id)) return;
    shown.isConfirmed = answer !== null && !answer.error;
    if (!shown.isConfirmed && answer?.error !== 'not_found') {
      const pause = RETRY_MS * (1 + Math.random());
      shown.timer = setTimeout(() => void this.watch(id, shown, true), pause);
    }
    if (shown.isConfirmed || !isRetry) this.onSettled(id);
  }
}
