import type { SentMessage } from '@stolas/backend/contract';

/** Sent messages that a page in flight may lack; older ones are in it. */
const MAX_RECENT = 20;

/** The messages that were sent last, from any tab, in the order in which this tab heard of them. */
export class RecentSends {
  private recent: { sent: SentMessage; number: number }[] = [];
  private count = 0;

  /** A mark for `since`. */
  mark(): number {
    return this.count;
  }

  has({ reply }: SentMessage): boolean {
    return this.recent.some(({ sent }) => sent.reply.id === reply.id);
  }

  remember(sent: SentMessage): void {
    this.count += 1;
    this.recent = [...this.recent, { sent, number: this.count }].slice(-MAX_RECENT);
  }

  /** What was sent in a conversation after `mark` was taken. */
  since(mark: number, conversationId: string): readonly SentMessage[] {
    return this.recent
      .filter(({ sent, number }) => number > mark && sent.message.conversationId === conversationId)
      .map(({ sent }) => sent);
  }

  clear(): void {
    this.recent = [];
  }
}
