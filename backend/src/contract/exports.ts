import * as z from 'zod';
import { MAX_IMPORT_BYTES } from './limits.ts';
import { REPLY_ENDINGS } from './reply-status.ts';

/** GET /api/conversations/{id}/export: `md` is the branch that is shown, `json` is the whole tree. */
export const ExportQuery = z.object({ format: z.enum(['md', 'json']) });
export type ExportQuery = z.infer<typeof ExportQuery>;

export const EXPORT_FORMAT = 'stolas.conversation';
export const EXPORT_VERSION = 1;

const ExportedId = z.string().min(1).max(64);

/** An exported message. A reply has `[1]` in the place of its citations, and a list of them at its end. */
export const ExportedMessage = z.object({
  id: ExportedId,
  /** Null for a first message. Messages stand after their parents. */
  parentId: ExportedId.nullable(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  /** ISO 8601. */
  createdAt: z.iso.datetime(),
  /** Of a reply that ended early; one without it is complete. */
  status: z.enum(['failed', 'stopped', 'interrupted']).optional(),
  /** Of a complete reply that reached its length limit. */
  ending: z.enum(REPLY_ENDINGS).optional(),
  /** Names of the files that the message was sent with; the files themselves are not exported. */
  files: z.array(z.string().max(255)).max(100).optional(),
});

export type ExportedMessage = z.infer<typeof ExportedMessage>;

/** A conversation as JSON, as it is exported and imported. Unknown fields are ignored. */
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
 * POST /api/conversations/import: the text of an exported file, JSON or Markdown; answers 201 with the new
 * `Conversation`. The same `clientConversationId` gives the same conversation.
 */
export const ImportConversationBody = z.object({
  format: z.enum(['md', 'json']),
  text: z.string().max(MAX_IMPORT_BYTES, 'This file is too large to import.'),
  clientConversationId: z.uuid(),
});
export type ImportConversationBody = z.input<typeof ImportConversationBody>;
