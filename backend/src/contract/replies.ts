import * as z from 'zod';
import type { ReplyError } from './errors.ts';
import type { ReplyStatus } from './messages.ts';

/** GET /api/replies/{id}: what the reader already has; all of it when left out. */
export const ReplyTailQuery = z.object({
  attempt: z.coerce.number().int().min(0).default(0),
  offset: z.coerce.number().int().min(0).default(0),
});
export type ReplyTailQuery = z.infer<typeof ReplyTailQuery>;

/**
 * POST /api/replies/{id}/retry. `continue` keeps the text that is there and goes on from it;
 * otherwise the reply starts again.
 */
export const RetryReplyBody = z.object({ mode: z.enum(['again', 'continue']) });
export type RetryReplyBody = z.infer<typeof RetryReplyBody>;

/** A piece of a reply's text. Offsets count UTF-16 code units from the start of the attempt's text. */
export interface ReplyFrame {
  replyId: string;
  conversationId: string;
  attempt: number;
  offset: number;
  delta: string;
}

/** A change of a reply's state. In a terminal state `length` is the length of the whole text. */
export interface ReplyState {
  replyId: string;
  conversationId: string;
  attempt: number;
  status: ReplyStatus;
  length: number;
  error?: ReplyError;
}

/**
 * Answer of GET /api/replies/{id}: the text of `attempt` from `offset` on, and the state at that point.
 * When the reader's attempt is an older one, `offset` is 0 and `delta` the whole text.
 */
export interface ReplyTail extends ReplyFrame {
  status: ReplyStatus;
  error?: ReplyError;
}
