import * as z from 'zod';
import { MAX_TITLE_LENGTH } from './limits.ts';

/** POST /api/conversations. The client derives the title from the first message (section 4). */
export const CreateConversationBody = z.object({
  title: z.string().trim().min(1, 'Give the conversation a title.').max(MAX_TITLE_LENGTH),
});
export type CreateConversationBody = z.infer<typeof CreateConversationBody>;

export interface Conversation {
  id: string;
  title: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601; the list is sorted by it, newest first. */
  updatedAt: string;
}
