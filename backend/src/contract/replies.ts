import * as z from 'zod';
import type { ReplyError } from './errors.ts';
import { MAX_FEEDBACK_REASON_LENGTH } from './limits.ts';
import type { MessageMetadata, PartAuthor, Reply, ReplyPartType } from './messages.ts';
import type { Depth, ReplyEnding, ReplyStatus } from './reply-settings.ts';

/** GET /api/replies/{id}: what the reader already has; all of it when left out. */
export const ReplyTailQuery = z.object({
  attempt: z.coerce.number().int().min(0).default(0),
  offset: z.coerce.number().int().min(0).default(0),
});
export type ReplyTailQuery = z.infer<typeof ReplyTailQuery>;

/**
 * A delta of a reply. Offsets count UTF-16 code units over all parts of the attempt, one after another: part 1 begins
 * where part 0 ends. The delta lies within one part.
 */
export interface DeltaText extends PartAuthor {
  /** Index of the part that it belongs to; the first delta with a new index begins that part. */
  part: number;
  type: ReplyPartType;
  offset: number;
  delta: string;
}

/** A delta as it is pushed to tabs. */
export interface ReplyDelta extends DeltaText {
  replyId: string;
  conversationId: string;
  attempt: number;
}

/** A change of a reply's state. In a terminal state `length` is the length of all parts together. */
export interface ReplyState {
  replyId: string;
  conversationId: string;
  attempt: number;
  status: ReplyStatus;
  length: number;
  error?: ReplyError;
  ending?: ReplyEnding;
  /** In a terminal state: what is known of the reply's metadata by then. */
  metadata?: MessageMetadata;
  /** How many replies start before this one; only while it is queued and waits for a worker. */
  ahead?: number;
}

/**
 * Answer of GET /api/replies/{id}: everything of `attempt` from `offset` on, and the state at that point; `length` is
 * where it ends. When the reader's attempt is another one, `offset` is 0.
 */
export interface ReplyTail extends ReplyState {
  offset: number;
  deltas: DeltaText[];
}

/** POST /api/replies/{id}/regenerate. A repeated `clientReplyId` returns the reply that the first one created. */
export const RegenerateBody = z.object({ clientReplyId: z.uuid().optional() });
export type RegenerateBody = z.infer<typeof RegenerateBody>;

/** 202 answer of POST /api/replies/{id}/regenerate (a new sibling) and POST /api/replies/{id}/continue (the same). */
export interface ReplyResult {
  reply: Reply;
}

/** GET /api/depths: how long the last 50 complete replies of each depth took, of all users; null before the first one. */
export interface DepthMedians {
  medianMs: Record<Depth, number | null>;
}

/**
 * PUT /api/replies/{id}/feedback, of a reply that has ended; answers `ReplyResult`. `rating: null` removes the feedback.
 * A reason that is left out is removed.
 */
export const ReplyFeedbackBody = z.object({
  rating: z.enum(['good', 'bad']).nullable(),
  reason: z
    .string()
    .trim()
    .max(
      MAX_FEEDBACK_REASON_LENGTH,
      `Shorten the reason to ${MAX_FEEDBACK_REASON_LENGTH} characters.`,
    )
    .optional(),
});
export type ReplyFeedbackBody = z.input<typeof ReplyFeedbackBody>;
