import type { MessageRecord, ReplyRecord } from '../messages/index.ts';

/** What generating a reply reads of a conversation's messages. */
export interface MessageReader {
  /** Up to `limit` messages from the first one down to `leafId`, oldest first. */
  path: (query: {
    conversationId: string;
    leafId: string;
    limit: number;
  }) => Promise<MessageRecord[]>;
  /** The messages with this parent at this depth, in the order of their creation. */
  children: (
    scope: { conversationId: string; ownerId: string },
    place: { parentId: string | null; depth: number },
  ) => Promise<{ id: string }[]>;
}

/**
 * Completes the send that created a reply, as far as its outbox says that something may be missing; doing it again does
 * no harm. Resolves with whether the user message had been missing.
 */
export type CompleteSend = (reply: ReplyRecord) => Promise<boolean>;
