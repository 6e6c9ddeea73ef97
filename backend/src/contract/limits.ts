// Numbers that both sides must agree on. Sources are sections of the specification unless said otherwise.

/** Longest message that is accepted, in UTF-16 code units. */
export const MAX_MESSAGE_LENGTH = 32_000;
/** Longest conversation title, in characters (section 9). */
export const MAX_TITLE_LENGTH = 60;
/** A demo guest's allowance, counted over the life of the guest (decision 'Who may chat'). */
export const GUEST_MESSAGE_LIMIT = 20;
export const GUEST_TOKEN_LIMIT = 20_000;
/** Longest first or last name, in characters. */
export const MAX_NAME_LENGTH = 80;
/** Passwords, in characters. The upper bound keeps hashing cost bounded. */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 128;
