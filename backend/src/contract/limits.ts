// Numbers and rules that backend and frontend share. No schemas: a page that imports one value of a file with schemas would load all of zod.

/** Maximum length of a message, in UTF-16 code units. */
export const MAX_MESSAGE_LENGTH = 32_000;
/** The time in which a deleted conversation can be restored; the page offers it for less. */
export const RESTORE_SECONDS = 30;
/** Maximum length of a conversation's title, in characters. */
export const MAX_TITLE_LENGTH = 60;
/** Maximum length of a user's first or last name, in characters. */
export const MAX_NAME_LENGTH = 80;
/** A guest's quota, counted over the life of the guest; the operator may set another number of tokens. */
export const GUEST_MESSAGE_LIMIT = 20;
export const GUEST_TOKEN_LIMIT = 100_000;
/**
 * About the tokens of a message with its reply and background calls, measured with the demo model: with a PDF of 8 pages in the
 * conversation, and without a file. The first turns tokens into messages until a user has an average.
 */
export const TOKENS_PER_MESSAGE = 1_700;
export const TOKENS_PER_SHORT_MESSAGE = 500;
/** Minimum number of sent messages for an average. */
export const MIN_MESSAGES_OF_AVERAGE = 5;
/** Maximum number of a user's queued and running replies. */
export const MAX_RUNNING_REPLIES = { guest: 3, user: 6 } as const;
/** Passwords, in characters. The upper bound limits the cost of hashing. */
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 128;

/** Conversations per page of GET /api/conversations. */
export const CONVERSATION_PAGE_SIZE = 50;

/** Maximum number of messages in an answer of GET /api/conversations/{id}/messages. */
export const MESSAGE_PAGE_LIMIT = 200;
/** Approximate maximum length of an answer with those messages, in UTF-8 bytes; a single message may be longer. */
export const MESSAGE_PAGE_BYTES = 512 * 1024;

/** Maximum length of a reason for a rating, in UTF-16 code units. */
export const MAX_FEEDBACK_REASON_LENGTH = 1_000;

/** Results per page of GET /api/search. */
export const SEARCH_PAGE_SIZE = 20;
/** Maximum length of a search, in UTF-16 code units. */
export const MAX_SEARCH_LENGTH = 200;

/** Maximum length of a workspace's name, in UTF-16 code units. */
export const MAX_WORKSPACE_NAME_LENGTH = 60;
/** In a conversation with more readers, messages name nobody. */
export const MAX_MENTIONABLE = 200;
/** Members and workspaces that a record is shared with. */
export const MAX_GRANTS = 50;
/** The days in which a mailed invitation can be accepted. */
export const INVITATION_DAYS = 7;
/** Maximum number of mailed invitations of one workspace per day (UTC), repeated ones included. */
export const MAX_INVITATIONS_PER_DAY = 50;

/** The days after which a link ends, by default and at most. */
export const SHARE_DAYS = 30;
export const MAX_SHARE_DAYS = 365;
/** Maximum number of a user's links that work. */
export const MAX_SHARES = 100;
/** What a link shows at most: messages, and about the bytes of their texts. */
export const MAX_SHARED_MESSAGES = 1_000;
export const MAX_SHARED_BYTES = 2 * 1024 * 1024;
/** Pages that read one live link at the same time, and the seconds between two reads. */
export const MAX_SHARE_VIEWERS = 200;
export const SHARE_READ_SECONDS = 5;

/** Maximum of the tokens of a usage period that an owner pays for what others ask in a conversation. */
export const MAX_OWNER_PAYS = 100_000_000;

/** Maximum size of an import of a conversation, in bytes of its JSON or Markdown, and its maximum number of messages. */
export const MAX_IMPORT_BYTES = 10 * 1024 * 1024;
export const MAX_IMPORT_MESSAGES = 10_000;

/** Maximum length of a memory, in UTF-16 code units; maximum number of active and pending memories of a user. */
export const MAX_MEMORY_LENGTH = 300;
export const MAX_MEMORIES = 500;

const MB = 1024 * 1024;

/** Files of one message. */
export const MAX_FILES_PER_MESSAGE = 10;
/** Maximum number of files per message of a guest. */
export const MAX_GUEST_FILES_PER_MESSAGE = 1;
/** Maximum size of a file that is attached in the chat; in the library the plan sets the limit. */
export const MAX_CHAT_FILE_BYTES = 25 * MB;
/** Largest file of a guest. */
export const MAX_GUEST_FILE_BYTES = 5 * MB;
/** Maximum length of a file name, in characters; longer names are cut before the extension. */
export const MAX_FILE_NAME_LENGTH = 200;
/** Stored bytes of one user, by plan. */
export const STORAGE_BYTES = { guest: 50 * MB, starter: 1024 * MB, pro: 20 * 1024 * MB } as const;
/** Larger files are sent to the store in parts, so that an interrupted upload continues. */
export const MULTIPART_FROM_BYTES = 20 * MB;
/** Minimum size of a part except the last one, and maximum number of parts (limits of S3). */
export const MIN_PART_BYTES = 5 * MB;
export const MAX_PARTS = 10_000;
/** The length of every part of an upload of `size` bytes, except the last one: the URLs of parts are signed for it. */
export const partBytesOf = (size: number): number =>
  Math.max(MIN_PART_BYTES, Math.ceil(size / MAX_PARTS));
/** Files per page of GET /api/files. */
export const FILE_PAGE_SIZE = 50;

/** A citation in the text of a reply: a Markdown link with the URL `#source=<fileId>,<page>,<start>,<end>`. */
export interface SourceRef {
  fileId: string;
  /** From 1. */
  page: number;
  /** UTF-16 code units in the text of that page; `end` is exclusive. */
  start: number;
  end: number;
}

/** The URL of a citation's link. */
export const sourceHref = ({ fileId, page, start, end }: SourceRef): string =>
  `#source=${fileId},${page},${start},${end}`;

const SOURCE_HREF = /^#source=([0-9a-f]{24}),(\d{1,7}),(\d{1,9}),(\d{1,9})$/;

/** The target of a citation's link; null for any other URL. */
export function parseSourceHref(href: string): SourceRef | null {
  const [, fileId, page, start, end] = SOURCE_HREF.exec(href) ?? [];
  if (fileId === undefined) return null;
  return { fileId, page: Number(page), start: Number(start), end: Number(end) };
}

/** Maximum lengths of a persona's texts, in UTF-16 code units. */
export const PERSONA_LENGTHS = {
  name: 80,
  role: 160,
  avatar: 16,
  description: 4_000,
  instructions: 8_000,
  tone: 40,
  key: 60,
  knowledge: 4_000,
  topic: 60,
  rule: 300,
  example: 2_000,
  greeting: 4_000,
} as const;

/** Maximum numbers of entries in a persona's lists. */
export const PERSONA_COUNTS = {
  tone: 6,
  keys: 10,
  knowledge: 100,
  do: 12,
  dont: 48,
  examples: 8,
} as const;

/** Maximum length of a model's name, in UTF-16 code units. */
export const MAX_MODEL_LENGTH = 100;

/** Maximum number of custom personas of one user without a limit in the plan. */
export const MAX_PERSONAS = 500;
/** Maximum size of an imported character card. */
export const MAX_CARD_BYTES = 10 * 1024 * 1024;

/** Maximum number of members of a fusion. */
export const MAX_FUSION_MEMBERS = 4;

/** Maximum number of replies of one trial: of each member of a fusion, and of the fusion. */
export const MAX_TRIAL_REPLIES = MAX_FUSION_MEMBERS + 1;

/** Maximum number of custom personas of a guest. */
export const GUEST_PERSONAS = 1;

export const TRAITS = ['warmth', 'formality', 'verbosity', 'directness', 'humour'] as const;
export type Trait = (typeof TRAITS)[number];

/** The end of a page of conversations. */
export const conversationCursor = ({ updatedAt, id }: { updatedAt: string; id: string }): string =>
  `${updatedAt}_${id}`;

/** The ids of ready-made personas, which no record of the database has: the first digits of those are a time. */
export const READY_MADE_ID = /^0{20}[0-9a-f]{4}$/;

/** `snapshot`: what the conversation showed when the link was made; `live`: what it shows now. */
export const SHARE_KINDS = ['snapshot', 'live'] as const;
export type ShareKind = (typeof SHARE_KINDS)[number];

/** Who can open a link; `signedIn`: users with an account, `workspace`: the members of one. */
export const SHARE_AUDIENCES = ['anyone', 'signedIn', 'workspace'] as const;
export type ShareAudience = (typeof SHARE_AUDIENCES)[number];
