import * as z from 'zod';
import { MAX_SEARCH_LENGTH } from './limits.ts';

/**
 * GET /api/search: the user's own messages that contain every word of `q`, the newest first. `cursor` is `next` of the
 * page before.
 */
export const SearchQuery = z.object({
  q: z.string().trim().min(1, 'Write what to search for.').max(MAX_SEARCH_LENGTH),
  cursor: z
    .string()
    .regex(/^\d{4}-[0-9T:.-]{18}Z-[0-9a-f]{24}$/)
    .refine((cursor) => !Number.isNaN(Date.parse(cursor.slice(0, 24))))
    .optional(),
});
export type SearchQuery = z.input<typeof SearchQuery>;

export interface SearchResult {
  conversationId: string;
  messageId: string;
  /** Title of the conversation. */
  title: string;
  /** The message's text around the first word found, on one line. */
  snippet: string;
  /** Where the words stand in `snippet`, in UTF-16 code units; `end` is exclusive. In order, without overlap. */
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
