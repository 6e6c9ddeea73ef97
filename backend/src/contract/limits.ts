// Numbers and rules that backend and frontend share. No schemas: a page that imports one value of a file with schemas would load all of zod.

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

const MB = 1024 * 1024;

/** Files of one message. */
export const MAX_FILES_PER_MESSAGE = 10;
/** A guest's files per message. */
export const MAX_GUEST_FILES_PER_MESSAGE = 1;
/** Largest file that can be attached from the chat; the file library takes what the plan allows. */
export const MAX_CHAT_FILE_BYTES = 25 * MB;
/** Largest file of a guest. */
export const MAX_GUEST_FILE_BYTES = 5 * MB;
/** Longest file name, in characters; longer names are cut before the extension. */
export const MAX_FILE_NAME_LENGTH = 200;
/** Stored bytes of one user, by plan. */
export const STORAGE_BYTES = { guest: 50 * MB, starter: 1024 * MB, pro: 20 * 1024 * MB } as const;
/** Files above this size go to the store in parts, so that an interrupted upload continues. */
export const MULTIPART_FROM_BYTES = 20 * MB;
/** Smallest part of a multipart upload except the last one, and most parts (limits of S3). */
export const MIN_PART_BYTES = 5 * MB;
export const MAX_PARTS = 10_000;
/** Every part of an upload of `size` bytes has this length, except the last one: addresses of parts are signed for it. */
export const partBytesOf = (size: number): number =>
  Math.max(MIN_PART_BYTES, Math.ceil(size / MAX_PARTS));
/** Files per page of GET /api/files. */
export const FILE_PAGE_SIZE = 50;

/** A citation in the text of a reply: a Markdown link whose address is `#source=<fileId>,<page>,<start>,<end>`. */
export interface SourceRef {
  fileId: string;
  /** From 1. */
  page: number;
  /** UTF-16 code units in the text of that page; `end` is exclusive. */
  start: number;
  end: number;
}

/** The address of a citation's link. */
export const sourceHref = ({ fileId, page, start, end }: SourceRef): string =>
  `#source=${fileId},${page},${start},${end}`;

const SOURCE_HREF = /^#source=([0-9a-f]{24}),(\d{1,7}),(\d{1,9}),(\d{1,9})$/;

/** What a citation's link points to; null for any other address. */
export function parseSourceHref(href: string): SourceRef | null {
  const [, fileId, page, start, end] = SOURCE_HREF.exec(href) ?? [];
  if (fileId === undefined) return null;
  return { fileId, page: Number(page), start: Number(start), end: Number(end) };
}

/** Longest texts of a persona, in UTF-16 code units. */
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

/** Most entries of a persona's lists. */
export const PERSONA_COUNTS = {
  tone: 6,
  keys: 10,
  knowledge: 100,
  do: 12,
  dont: 48,
  examples: 8,
} as const;

/** Longest name of a model, in UTF-16 code units. */
export const MAX_MODEL_LENGTH = 100;

/** Custom personas of one user, where the plan does not limit them. */
export const MAX_PERSONAS = 500;
/** Largest character card that is imported. */
export const MAX_CARD_BYTES = 10 * 1024 * 1024;

/** Most personas that are fused into one. */
export const MAX_FUSION_MEMBERS = 4;

/** Replies of one trial: of each member of a fusion, and of the fusion. */
export const MAX_TRIAL_REPLIES = MAX_FUSION_MEMBERS + 1;

/** Custom personas of a guest. */
export const GUEST_PERSONAS = 1;

export const TRAITS = ['warmth', 'formality', 'verbosity', 'directness', 'humour'] as const;
export type Trait = (typeof TRAITS)[number];

/** Where a page of conversations ends. */
export const conversationCursor = ({ updatedAt, id }: { updatedAt: string; id: string }): string =>
  `${updatedAt}_${id}`;
