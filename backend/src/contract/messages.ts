import * as z from 'zod';
import type { Person } from './access.ts';
import type { ClaimsCheck } from './claims.ts';
import type { ReplyError } from './errors.ts';
import { SentFile } from './files.ts';
import { Id } from './id.ts';
import { MAX_FILES_PER_MESSAGE, MAX_MESSAGE_LENGTH, MESSAGE_PAGE_LIMIT } from './limits.ts';
import type { MemoryReceipt } from './memory.ts';
import {
  DEPTHS,
  type Depth,
  type PersonaRef,
  type ReplyEnding,
  type ReplyStatus,
} from './reply-settings.ts';

/** A range of the content, in UTF-16 code units; `end` is exclusive. */
const Paste = z.object({ start: z.int().min(0), end: z.int().min(0).max(MAX_MESSAGE_LENGTH) });

/**
 * POST /api/conversations/{id}/messages. A repeated `clientMessageId` returns the message that the first send created. `parentId` is the
 * reply above the message (null: a new first message); by default the active leaf. Any other parent than the active leaf creates a branch.
 * `personaId` (null: no persona) and `depth` become those of the conversation, and default to them. With `panel` each member of a fusion
 * answers as a part of the reply; it answers 422 for a persona that is no fusion. Null, or a `personaId` without `panel`, ends it.
 */
export const SendMessageBody = z.object({
  content: z
    .string()
    .max(MAX_MESSAGE_LENGTH, `Shorten the message to ${MAX_MESSAGE_LENGTH} characters.`)
    .refine((text) => text.trim() !== '', 'Write a message first.'),
  clientMessageId: z.uuid().optional(),
  parentId: Id.nullish(),
  files: z
    .array(SentFile)
    .max(MAX_FILES_PER_MESSAGE, `You can only upload ${MAX_FILES_PER_MESSAGE} file(s)`)
    .optional(),
  personaId: Id.nullish(),
  depth: z.enum(DEPTHS).optional(),
  panel: z.object({ synthesis: z.boolean() }).nullish(),
  /** The pastes that the composer reported, longer than 500 characters in all: no memory is made from them. */
  pastes: z.array(Paste).max(100).optional(),
});
export type SendMessageBody = z.input<typeof SendMessageBody>;

/**
 * GET /api/conversations/{id}/messages: the active path, oldest first. The default of `limit` is `MESSAGE_PAGE_LIMIT`; with `before` (a
 * message of the path) the messages above it. A page may be shorter: it ends at `MESSAGE_PAGE_BYTES`. A page whose first message has no
 * parent is the first one.
 */
export const ListMessagesQuery = z.object({
  before: Id.optional(),
  limit: z.coerce.number().int().min(1).max(MESSAGE_PAGE_LIMIT).default(MESSAGE_PAGE_LIMIT),
});
export type ListMessagesQuery = z.input<typeof ListMessagesQuery>;

export { MESSAGE_PAGE_LIMIT } from './limits.ts';
// In separate files: a page that imports one value of a file with schemas would load all of zod.
export { isActive, type ReplyEnding, type ReplyStatus } from './reply-settings.ts';

/** A typed section of a reply. */
export interface ReplyPart extends PartAuthor {
  type: ReplyPartType;
  /** In a panel, the text of each later member begins with a blank line, so that the joined parts are Markdown. */
  text: string;
}

/** The member of a panel that wrote a part, with its name at that time. A part of the synthesis has none. */
export interface PartAuthor {
  personaId?: string;
  personaName?: string;
}

/** `reasoning` is the model's reasoning before its answer; it is never sent back to the model. */
export type ReplyPartType = 'text' | 'reasoning';

/** A file in a message. */
export interface MessageFile {
  /** Absent in messages from an import; then the file has no state and no viewer. */
  id?: string;
  name?: string;
  /** Path of this server that redirects to the object. */
  url?: string;
  objectPath?: string;
  type?: string;
  /** Bytes. */
  size?: number;
}

/** A passage of a file that a reply cites. The text of the reply links to it by `sourceHref`. */
export interface Citation {
  /** Number in the reply, from 1, in the order of first appearance. */
  n: number;
  fileId: string;
  fileName: string;
  sha256: string;
  /** From 1. */
  page: number;
  /** The number that is printed on the page; left out when it is `page` or unknown. */
  pageLabel?: string;
  /** UTF-16 code units in the page's text; `end` is exclusive. */
  start: number;
  end: number;
  /** The text of the file at this place, letter for letter. */
  quote: string;
}

/** Quoted text of a file, as a card under the reply. */
export interface InsightCard {
  /** The quoted text; in a comparison its topic and the statement of each file. */
  insight: string;
  /** The place of the text; absent in a comparison. */
  citation?: Citation;
  /** Pro: the statements of several files on one point. At least two citations of different files. */
  comparison?: { topic: string; sides: { citation: Citation; value: string }[] };
}

/** The files in the prompt of a reply, and the parts left out. */
export interface FilesReceipt {
  fileId: string;
  name: string;
  /** `whole`: all of its text; `passages`: those that fit the question; `none`: nothing fitted; `unread`: see `reason`. */
  given: 'whole' | 'passages' | 'image' | 'none' | 'unread';
  /** One sentence for the user; with `unread`. */
  reason?: string;
}

/** The parts of a reply's prompt. */
export interface ContextReceipt {
  /** Maximum length of the prompt. */
  budgetTokens: number;
  /** In the order of the prompt. */
  parts: {
    /** `panel`: the instructions of a member about the panel, and the answers before its own. */
    part: 'system' | 'persona' | 'memory' | 'panel' | 'files' | 'history';
    tokens: number;
    /** One sentence for the user about the part left out. */
    cut?: string;
    /** Of the history: the number of earlier messages left out. */
    leftOut?: number;
  }[];
}

/** The requested and the applied amount of reasoning of a reply. */
export interface DepthReceipt {
  requested: Depth;
  /** The depth that the sent parameter represents; `default`: the model's own amount of reasoning. */
  applied: Depth | 'default';
  /** The model that answered; those of a panel, separated by commas. */
  model: string;
  /** The model that the persona names, when it is no longer offered: the default one answered. */
  requestedModel?: string;
  /** The parameter of the amount, with its value; null: none. */
  parameter: string | null;
  /** The parameter that the provider refused; the request was repeated without it. */
  refused?: string;
  /** Null when the provider does not report it. */
  reasoningTokens: number | null;
  /** Milliseconds from the call to the first delta, and to the end. */
  firstTokenMs: number | null;
  totalMs: number;
  /** Milliseconds of `totalMs` that reasoning took; absent without reasoning. */
  reasoningMs?: number;
}

export interface MessageMetadata {
  files?: MessageFile[];
  /** Only of a user message: its pasted ranges. */
  pastes?: { start: number; end: number }[];
  insightCards?: InsightCard[];
  citations?: Citation[];
  filesReceipt?: FilesReceipt[];
  memoryReceipt?: MemoryReceipt;
  depthReceipt?: DepthReceipt;
  claims?: ClaimsCheck;
  /** Absent when the prompt has only the whole conversation. */
  contextReceipt?: ContextReceipt;
  /** Only of a user message: its author has deleted it with the account. */
  erased?: true;
}

interface MessageBase {
  id: string;
  conversationId: string;
  /** The message above this one; null for a first message. The parent of a reply is its user message. */
  parentId: string | null;
  /** Every message with the same parent, this one included, in order of creation. */
  siblingIds: string[];
  content: string;
  /** ISO 8601. */
  createdAt: string;
  metadata?: MessageMetadata;
  /** In a shared conversation: the user who wrote the message, or who asked for the reply. */
  author?: Person;
}

export interface UserMessage extends MessageBase {
  role: 'user';
  /** The id from the sending client, by which a tab recognises its own echo. */
  clientMessageId?: string;
}

export type Rating = 'good' | 'bad';

/** A user's rating of a reply. */
export interface ReplyFeedback {
  rating: Rating;
  reason?: string;
}

/** An assistant message, while and after it is generated. `content` is the texts of its text parts joined. */
export interface Reply extends MessageBase {
  role: 'assistant';
  status: ReplyStatus;
  /** 0 until a worker starts an attempt; each attempt raises it. `parts` and `content` belong to this attempt. */
  attempt: number;
  parts: ReplyPart[];
  error?: ReplyError;
  /** Only of a complete reply that the model did not finish. */
  ending?: ReplyEnding;
  /** In a shared conversation: who stopped it. */
  stoppedBy?: Person;
  /** The reader's own rating, if any. */
  feedback?: ReplyFeedback;
  /** The persona of the reply. */
  persona?: PersonaRef;
}

export type Message = UserMessage | Reply;

/**
 * A user message and its reply: the 202 answer of a send, when both are durable. `message:created` has it too, also after a regeneration:
 * then the user message is the same and the reply is a new sibling.
 */
export interface SentMessage {
  message: UserMessage;
  reply: Reply;
}

/** `message:created`, as a reader gets it. */
export interface CreatedMessage extends SentMessage {
  /** It is on another branch than the reader sees, whose view stays there. */
  elsewhere?: true;
}
