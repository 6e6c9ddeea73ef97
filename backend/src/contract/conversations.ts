import * as z from 'zod';
import { MAX_TITLE_LENGTH } from './limits.ts';
import { SendMessageBody, type SentMessage } from './messages.ts';

const id = z
  .string()
  .regex(/^[0-9a-f]{24}$/i)
  .toLowerCase();
const title = z.string().trim().min(1, 'Give the conversation a title.').max(MAX_TITLE_LENGTH);

/**
 * POST /api/conversations. The client derives the title from the first message (docs/product.md, 'Branches and pages').
 * The same `clientConversationId` (a UUID of the client) returns the same conversation. `message` is sent in it, as by
 * POST /api/conversations/{id}/messages: the first message of a conversation takes one request.
 */
export const CreateConversationBody = z.object({
  title,
  clientConversationId: z.uuid().optional(),
  message: SendMessageBody.omit({ parentId: true }).optional(),
});
export type CreateConversationBody = z.input<typeof CreateConversationBody>;

/**
 * PATCH /api/conversations/{id}. `activeLeafId` is any message of the conversation; the newest leaf below it becomes
 * the active one.
 */
export const UpdateConversationBody = z
  .object({ title: title.optional(), activeLeafId: id.optional() })
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    message: 'Name what is to change.',
  });
export type UpdateConversationBody = z.input<typeof UpdateConversationBody>;

/**
 * GET /api/conversations: one page, the last updated first. `before` is the `conversationCursor` of the last entry of
 * the page before; `q` keeps titles that contain it, case-insensitively; `ids` (comma-separated) keeps these.
 * A page with fewer than `CONVERSATION_PAGE_SIZE` entries is the last one.
 */
export const ListConversationsQuery = z.object({
  before: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z_[0-9a-f]{24}$/)
    .transform((cursor) => ({ updatedAt: new Date(cursor.slice(0, 24)), id: cursor.slice(25) }))
    .refine(({ updatedAt }) => !Number.isNaN(updatedAt.getTime()))
    .optional(),
  q: z.string().trim().max(100).optional(),
  ids: z
    .string()
    .transform((list) => list.split(','))
    .pipe(z.array(id).max(100))
    .optional(),
});
export type ListConversationsQuery = z.input<typeof ListConversationsQuery>;

export interface Conversation {
  id: string;
  title: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601; the list is sorted by it, newest first. */
  updatedAt: string;
  /** The last message of the branch that is shown, in every tab; null before the first message. */
  activeLeafId: string | null;
}

/** The answer to `CreateConversationBody`, with what `message` created. */
export interface CreatedConversation extends Conversation {
  sent?: SentMessage;
}

export { conversationCursor } from './conversation-cursor.ts';
export { CONVERSATION_PAGE_SIZE } from './limits.ts';
