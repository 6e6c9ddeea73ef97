export interface SearchableMessage {
  id: string;
  conversationId: string;
  ownerId: string;
  role: 'user' | 'assistant';
  content: string;
  createdAt: Date;
}

/** A message that contains every word of the search. */
export interface MessageMatch {
  messageId: string;
  conversationId: string;
  role: 'user' | 'assistant';
  createdAt: Date;
  /** The folded words of the search; `findWords` finds them in the message's text. */
  words: string[];
}

/**
 * Full-text search over the messages of one owner. Words are compared without case and diacritics; languages without spaces are split by
 * `Intl.Segmenter`. The index can be rebuilt from the messages at any time. Every operation may be repeated.
 */
export interface MessageSearch {
  /**
   * Adds or replaces the texts of messages; one without words is removed.
   * @throws when one of them was not stored; the others may have been
   */
  put: (messages: readonly SearchableMessage[]) => Promise<void>;
  /**
   * Messages of the owner, or of these conversations of the owner, that contain every word, newest first; the last word may be a prefix. `q` has no operators. `before` is a match
   * of the previous page.
   */
  find: (query: {
    ownerId: string;
    conversationIds?: string[] | undefined;
    q: string;
    before?: { createdAt: Date; messageId: string } | undefined;
    limit: number;
  }) => Promise<MessageMatch[]>;
  /** Removes one message, all messages of a conversation, or all of an owner. */
  remove: (scope: {
    ownerId: string;
    conversationId?: string | undefined;
    messageId?: string | undefined;
  }) => Promise<void>;
}
