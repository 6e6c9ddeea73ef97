/** A message to be found. */
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
  /** The words as they were searched for, to mark them in the message's text. */
  words: string[];
}

/**
 * Full-text search over the messages of one owner. Words are compared without case and diacritics; languages without
 * spaces are split by `Intl.Segmenter`. What it holds can be rebuilt from the messages at any time.
 */
export interface MessageSearch {
  /** Adds or replaces the text of a message. Idempotent. */
  put: (message: SearchableMessage) => Promise<void>;
  /** Messages of the owner that contain every word, the newest first. `before` is a match of the page before. */
  find: (query: {
    ownerId: string;
    q: string;
    before?: { createdAt: Date; messageId: string } | undefined;
    limit: number;
  }) => Promise<MessageMatch[]>;
  /** Removes all messages of a conversation, or of an owner. */
  remove: (scope: { ownerId: string; conversationId?: string | undefined }) => Promise<void>;
}
