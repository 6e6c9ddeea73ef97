import * as z from 'zod';
import type { Person } from './access.ts';
import { Cursor, Id, Ids, namesChange } from './id.ts';
import {
  MAX_IMPORT_BYTES,
  MAX_OWNER_PAYS,
  MAX_SEARCH_LENGTH,
  MAX_TITLE_LENGTH,
  MAX_TRIAL_REPLIES,
} from './limits.ts';
import { SendMessageBody, type SentMessage } from './messages.ts';
import {
  DEPTHS,
  type Depth,
  MEMORY_MODES,
  type MemoryMode,
  type PanelChoice,
  REPLY_ENDINGS,
} from './reply-settings.ts';
import type { ReaderRole } from './roles.ts';

const title = z.string().trim().min(1, 'Give the conversation a title.').max(MAX_TITLE_LENGTH);

/**
 * POST /api/conversations. The client derives the title from the first message (docs/product.md, 'Branches and pages'). The same
 * `clientConversationId` (a UUID of the client) returns the same conversation. `message` is sent in it, as by POST
 * /api/conversations/{id}/messages, so that the first message of a conversation takes one request. A temporary one neither reads nor saves
 * memories, and is erased after 24 hours. One of a trial is temporary and in no list, search or export. `summaryOf` names another
 * conversation of the user, whose messages the reply sums up. The workspace of `workspaceId` pays for the conversation; it is private all the
 * same.
 */
export const CreateConversationBody = z.object({
  title,
  clientConversationId: z.uuid().optional(),
  temporary: z.boolean().optional(),
  trial: z.boolean().optional(),
  memory: z.enum(MEMORY_MODES).optional(),
  workspaceId: Id.optional(),
  message: SendMessageBody.omit({ parentId: true }).extend({ summaryOf: Id.optional() }).optional(),
});
export type CreateConversationBody = z.input<typeof CreateConversationBody>;

/** POST /api/conversations/estimate: the cost of the same first message for each persona, in the order of `personaIds`. */
export const EstimateRepliesBody = z.object({
  content: SendMessageBody.shape.content,
  personaIds: z.array(Id).min(1).max(MAX_TRIAL_REPLIES),
});
export type EstimateRepliesBody = z.input<typeof EstimateRepliesBody>;

/** The reservation of one reply, in tokens. */
export interface ReplyEstimate {
  promptTokens: number;
  replyTokens: number;
}

/**
 * PATCH /api/conversations/{id}. `activeLeafId` is any message of the conversation; the user sees the newest leaf below it from now on.
 * `title` needs the role `manager`, `memory` and `ownerPays` the owner, `activeLeafId` alone `viewer`, the rest `editor`.
 * `ownerPays` is the most that the owner pays for what others ask, in tokens of a usage period; null: nothing.
 * `personaId` (null: no persona), `depth`, `memory` and `panel` apply to the next replies; `panel` as in a send.
 */
export const UpdateConversationBody = z
  .object({
    title: title.optional(),
    activeLeafId: Id.optional(),
    personaId: Id.nullish(),
    depth: z.enum(DEPTHS).optional(),
    memory: z.enum(MEMORY_MODES).optional(),
    panel: z.object({ synthesis: z.boolean() }).nullish(),
    ownerPays: z.int().min(1).max(MAX_OWNER_PAYS).nullish(),
  })
  .refine(...namesChange);
export type UpdateConversationBody = z.input<typeof UpdateConversationBody>;

/**
 * GET /api/conversations: one page, last updated first. `before` is the `conversationCursor` of the last entry of the previous page; `q`
 * keeps titles that contain it, case-insensitively; `ids` (comma-separated) keeps these. A page with fewer than `CONVERSATION_PAGE_SIZE`
 * entries is the last one.
 */
export const ListConversationsQuery = z.object({
  before: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z_[0-9a-f]{24}$/)
    .transform((cursor) => ({ updatedAt: new Date(cursor.slice(0, 24)), id: cursor.slice(25) }))
    .refine(({ updatedAt }) => !Number.isNaN(updatedAt.getTime()))
    .optional(),
  q: z.string().trim().max(100).optional(),
  ids: Ids(100).optional(),
});
export type ListConversationsQuery = z.input<typeof ListConversationsQuery>;

export interface Conversation {
  id: string;
  title: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601; the list is sorted by it, newest first. */
  updatedAt: string;
  /** The last message of the branch that all tabs of the reader show; null before the first message. */
  activeLeafId: string | null;
  /** The persona of its next reply; null without one. */
  personaId: string | null;
  depth: Depth;
  /** Its next reply is a panel of the persona's members; absent: a single answer. */
  panel?: PanelChoice;
  memory: MemoryMode;
  /** Neither reads nor writes memories, and is erased after a day. */
  temporary: boolean;
  /** The workspace that pays for the replies to its members; absent: the plan of the user who asks. */
  workspaceId?: string;
  /** The most that the owner pays for what others ask, in tokens of a usage period; absent: nothing. */
  ownerPays?: number;
  /** Absent: it is the reader's own and shared with nobody. */
  shared?: {
    role: ReaderRole;
    owner: Person;
    /** It has messages that the reader has not seen, or is new to them. */
    unread?: true;
    /** One of these names the reader. */
    mentioned?: true;
  };
}

/** GET /api/conversations/{id}/payer: who pays for the reader's next message. */
export interface ConversationPayer {
  by: 'self' | 'workspace' | 'owner';
}

/** The answer to `CreateConversationBody`, with the result of `message`. */
export interface CreatedConversation extends Conversation {
  sent?: SentMessage;
}

export { CONVERSATION_PAGE_SIZE, conversationCursor } from './limits.ts';

/** GET /api/search: the messages of the user's own and shared conversations that contain every word of `q`, newest first. `cursor` is `next` of the previous page. */
export const SearchQuery = z.object({
  q: z.string().trim().min(1, 'Write what to search for.').max(MAX_SEARCH_LENGTH),
  cursor: Cursor.optional(),
});
export type SearchQuery = z.input<typeof SearchQuery>;

export interface SearchResult {
  conversationId: string;
  messageId: string;
  /** Title of the conversation. */
  title: string;
  /** The message's text around the first match, on one line. */
  snippet: string;
  /** The matches in `snippet`, in UTF-16 code units; `end` is exclusive. In order, without overlap. */
  matches: { start: number; end: number }[];
  role: 'user' | 'assistant';
  /** ISO 8601; of the message. */
  createdAt: string;
}

export interface SearchPage {
  results: SearchResult[];
  /** Cursor of the next page; null after the last one. */
  next: string | null;
}

/** GET /api/conversations/{id}/export: `md` is the active branch, `json` is the whole tree. */
export const ExportQuery = z.object({ format: z.enum(['md', 'json']) });
export type ExportQuery = z.infer<typeof ExportQuery>;

export const EXPORT_FORMAT = 'stolas.conversation';
export const EXPORT_VERSION = 1;

const ExportedId = z.string().min(1).max(64);

/** An exported message. In a reply `[1]` replaces its citations, with a list of them at its end. */
export const ExportedMessage = z.object({
  id: ExportedId,
  /** Null for a first message. Messages come after their parents. */
  parentId: ExportedId.nullable(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  /** ISO 8601. */
  createdAt: z.iso.datetime(),
  /** Only for a reply that ended early; without it the reply is complete. */
  status: z.enum(['failed', 'stopped', 'interrupted']).optional(),
  /** Only for a complete reply that reached its length limit. */
  ending: z.enum(REPLY_ENDINGS).optional(),
  /** Names of the attached files; the files themselves are not exported. */
  files: z.array(z.string().max(255)).max(100).optional(),
});

export type ExportedMessage = z.infer<typeof ExportedMessage>;

/** A conversation as exported and imported JSON. Unknown fields are ignored. */
export const ExportedConversation = z.object({
  format: z.literal(EXPORT_FORMAT),
  version: z.literal(EXPORT_VERSION),
  title: z.string(),
  createdAt: z.iso.datetime().optional(),
  exportedAt: z.iso.datetime().optional(),
  activeLeafId: ExportedId.nullable().optional(),
  messages: z.array(ExportedMessage),
});
export type ExportedConversation = z.infer<typeof ExportedConversation>;

/**
 * POST /api/conversations/import: the text of an exported file, JSON or Markdown; answers 201 with the new `Conversation`. The same
 * `clientConversationId` returns the same conversation.
 */
export const ImportConversationBody = z.object({
  format: z.enum(['md', 'json']),
  text: z.string().max(MAX_IMPORT_BYTES, 'This file is too large to import.'),
  clientConversationId: z.uuid(),
});
export type ImportConversationBody = z.input<typeof ImportConversationBody>;

/** The body of the socket events `watch`, `unwatch` and `typing`. */
export const WatchBody = z.object({ conversationId: Id });
export type WatchBody = z.input<typeof WatchBody>;
