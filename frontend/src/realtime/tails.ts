import type { ReplyTail, ReplyTailQuery } from '@stolas/backend/contract';
import type { ReplyView } from './reply-reducer.ts';
import { hasGap } from './reply-reducer.ts';

const RETRY_MS = 1_000;
const MAX_RETRY_MS = 5_000;

export type FetchTail = (replyId: string, have: ReplyTailQuery) => Promise<ReplyTail>;

interface TailsOptions {
  fetchTail: FetchTail;
  /** The tab's view; undefined when it no longer shows the reply. */
  viewOf: (replyId: string) => ReplyView | undefined;
  onTail: (tail: ReplyTail) => void;
  /** After every request. */
  onOutcome: (outcome: { hasAnswered: boolean }) => void;
  /** The server does not know the reply, or not for this user: a retry does not help. */
  isFinal: (error: unknown) => boolean;
}

/**
 * Requests the tails of replies: one request in flight per reply, however many gaps are seen meanwhile. A request that
 * fails, or whose answer closes no gap, is repeated with a growing pause for as long as a gap remains.
 */
export class Tails {
  private readonly anew = new Set<string>();
  private readonly busy = new Map<string, ReturnType<typeof setTimeout> | null>();

  constructor(private readonly options: TailsOptions) {}

  /** Requests now, unless a request or its retry is pending. */
  ask(replyId: string): void {
    if (!this.busy.has(replyId)) void this.request(replyId, RETRY_MS);
  }

  /** As `ask`, but the answer of a request that is under way does not count: it may be older. */
  askAnew(replyId: string): void {
    if (this.busy.get(replyId) === null) this.anew.add(replyId);
    else this.ask(replyId);
  }

  stop(): void {
    for (const timer of this.busy.values()) if (timer) clearTimeout(timer);
    this.busy.clear();
    this.anew.clear();
  }

  private async request(replyId: string, pause: number): Promise<void> {
    const { fetchTail, viewOf, onTail, onOutcome, isFinal } = this.options;
    const have = viewOf(replyId);
    if (!have) {
      this.busy.delete(replyId);
      return;
    }
    this.busy.set(replyId, null);
    let final = false;
    try {
      onTail(await fetchTail(replyId, { attempt: have.attempt, offset: have.length }));
      onOutcome({ hasAnswered: true });
    } catch (error) {
      final = isFinal(error);
      onOutcome({ hasAnswered: false });
    }
    if (!this.busy.has(replyId)) return;
    const now = viewOf(replyId);
    this.busy.delete(replyId);
    const isAnew = this.anew.delete(replyId);
    if (final || !now || !(isAnew || hasGap(now))) return;
    const progress = isAnew || now.attempt !== have.attempt || now.length > have.length;
    if (progress) void this.request(replyId, RETRY_MS);
    else this.repeat(replyId, pause);
  }

  private repeat(replyId: string, pause: number): void {
    const next = Math.min(pause * 2, MAX_RETRY_MS);
    this.busy.set(
      replyId,
      setTimeout(() => void this.request(replyId, next), pause),
    );
  }
}
