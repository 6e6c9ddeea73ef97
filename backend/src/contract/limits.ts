// Numbers that backend and frontend share.

/** Longest message that is accepted, in UTF-16 code units. */
export const MAX_MESSAGE_LENGTH = 32_000;
/** How long a deleted conversation can be restored; the page offers it for less. */
export const RESTORE_SECONDS = 30;
/** Longest conversation title, in characters. */
export const MAX_TITLE_LENGTH = 60;
/** Longest first or last name of a user, in characters. */
export const MAX_NAME_LENGTH = 80;
/** A guest's quota, counted over the life of the guest; the tokens unless the operator sets another number. */
export const GUEST_MESSAGE_LIMIT = 20;
export const GUEST_TOKEN_LIMIT = 100_000;
/**
 * About what a message and its reply take, their background calls included, measured with the demo model: with a PDF of 8
 * pages in the conversation, and without a file. Tokens are said in messages by the first until a user has an average.
 */
export const TOKENS_PER_MESSAGE = 1_700;
export const TOKENS_PER_SHORT_MESSAGE = 500;
/** Sent messages that make an average. */
export const MIN_MESSAGES_OF_AVERAGE = 5;
/** Replies of one user that may be queued or running at the same time. */
export const MAX_RUNNING_REPLIES = { guest: 3, user: 6 } as const;
/** Passwords, in characters. The upper bound keeps hashing cost bounded. */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 128;

/** Conversations per page of GET /api/conversations. */
export const CONVERSATION_PAGE_SIZE = 50;

/** Most messages that GET /api/conversations/{id}/messages answers at once. */
export const MESSAGE_PAGE_LIMIT = 200;
/** About the longest answer with those messages, in UTF-8 bytes; a single message may be longer. */
export const MESSAGE_PAGE_BYTES = 512 * 1024;

/** Longest reason of a rating of a reply, in UTF-16 code units. */
export const MAX_FEEDBACK_REASON_LENGTH = 1_000;

/** Results per page of GET /api/search. */
export const SEARCH_PAGE_SIZE = 20;
/** Longest search, in UTF-16 code units. */
export const MAX_SEARCH_LENGTH = 200;

/** Largest import of a conversation, in bytes of its JSON or Markdown, and its most messages. */
export const MAX_IMPORT_BYTES = 10 * 1024 * 1024;
export const MAX_IMPORT_MESSAGES = 10_000;

/** Longest memory, in UTF-16 code units; most active and pending memories of a user. */
export const MAX_MEMORY_LENGTH = 300;
export const MAX_MEMORIES = 500;
