import type { ReplyTail, ReplyTailQuery } from '@stolas/backend/contract';
import type { ReplyView } from './reply-reducer.ts';
import { hasGap } from './reply-reducer.ts';

const RETRY_MS = 1_000;
const MAX_RETRY_MS = 5_000;
/** A request is given up after this long: its connection may be gone without a sign of it. */
const ANSWER_MS = 30_000;

export type FetchTail = (
  replyId: string,
  have: ReplyTailQuery,
  signal: AbortSignal,
) => Promise<ReplyTail>;

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
  /** Ends the request of a reply, under way or to be repeated after a pause. */
  private readonly busy = new Map<string, () => void>();

  constructor(private readonly options: TailsOptions) {}

  /** Requests now, unless a request or its retry is pending. */
  ask(replyId: string): void {
    if (!this.busy.has(replyId)) void this.request(replyId, RETRY_MS);
  }

  /** Requests now, in place of a request that is pending: its answer may be older, or its connection gone. */
  askAnew(replyId: string): void {
    this.busy.get(replyId)?.();
    void this.request(replyId, RETRY_MS);
  }

  stop(): void {
    const ends = [...this.busy.values()];
    this.busy.clear();
    for (const end of ends) end();
  }

  private async request(replyId: string, pause: number): Promise<void> {
    const { fetchTail, viewOf, onTail, onOutcome, isFinal } = this.options;
    const have = viewOf(replyId);
    if (!have) {
      this.busy.delete(replyId);
      return;
    }
    const giveUp = new AbortController();
    const end = () => giveUp.abort();
    const timer = setTimeout(end, ANSWER_MS);
    const isReplaced = () => this.busy.get(replyId) !== end;
    this.busy.set(replyId, end);
    let final = false;
    try {
      const position = { attempt: have.attempt, offset: have.length };
      const tail = await fetchTail(replyId, position, giveUp.signal);
      if (isReplaced()) return;
      onTail(tail);
      onOutcome({ hasAnswered: true });
    } catch (error) {
      if (isReplaced()) return;
      final = isFinal(error);
      onOutcome({ hasAnswered: false });
    } finally {
      clearTimeout(timer);
    }
    const now = viewOf(replyId);
    this.busy.delete(replyId);
    if (final || !now || !hasGap(now)) return;
    const progress = now.attempt !== have.attempt || now.length > have.length;
    if (progress) void this.request(replyId, RETRY_MS);
    else this.repeat(replyId, pause);
  }

  private repeat(replyId: string, pause: number): void {
    const next = Math.min(pause * 2, MAX_RETRY_MS);
    const timer = setTimeout(() => void this.request(replyId, next), pause);
    this.busy.set(replyId, () => clearTimeout(timer));
  }
}
