// Numbers that both sides must agree on. Sources are sections of the specification unless said otherwise.

/** Longest message that is accepted, in UTF-16 code units. */
export const MAX_MESSAGE_LENGTH = 32_000;
/** Longest conversation title, in characters (section 9). */
export const MAX_TITLE_LENGTH = 60;
/** A demo guest's allowance, counted over the life of the guest (decision 'Who may chat'). */
export const GUEST_MESSAGE_LIMIT = 20;
export const GUEST_TOKEN_LIMIT = 20_000;
/** Passwords, in characters. The upper bound keeps hashing cost bounded. */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 128;

/** Conversations per page of GET /api/conversations. */
export const CONVERSATION_PAGE_SIZE = 50;

/** Most messages that GET /api/conversations/{id}/messages answers at once. */
export const MESSAGE_PAGE_LIMIT = 200;
