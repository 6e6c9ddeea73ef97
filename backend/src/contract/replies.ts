import * as z from 'zod';
import type { ReplyError } from './errors.ts';
import { MAX_FEEDBACK_REASON_LENGTH } from './limits.ts';
import type { MessageMetadata, PartAuthor, Reply, ReplyPartType } from './messages.ts';
import type { Depth, ReplyEnding, ReplyStatus } from './reply-settings.ts';

/** GET /api/replies/{id}: the reader's position; without it, the whole reply is returned. */
export const ReplyTailQuery = z.object({
  attempt: z.coerce.number().int().min(0).default(0),
  offset: z.coerce.number().int().min(0).default(0),
});
export type ReplyTailQuery = z.infer<typeof ReplyTailQuery>;

/**
 * A delta of a reply. Offsets count UTF-16 code units over all parts of the attempt, one after another: part 1 begins where part 0 ends.
 * The delta lies within one part.
 */
export interface DeltaText extends PartAuthor {
  /** Index of its part; the first delta with a new index begins that part. */
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
  /** In a terminal state: the metadata of the reply so far. */
  metadata?: MessageMetadata;
  /** The number of replies that start before this one; only while it waits in the queue. */
  ahead?: number;
}

/**
 * Answer of GET /api/replies/{id}: the text of `attempt` from `offset` on, and the state at that point; `length` is its end. When the
 * reader has another attempt, `offset` is 0.
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

/** GET /api/depths: the median durations of the last 50 complete replies of each depth, of all users; null before the first one. */
export interface DepthMedians {
  medianMs: Record<Depth, number | null>;
}

/**
 * PUT /api/replies/{id}/feedback: the user's own, of an ended reply; answers `ReplyResult`. `rating: null` removes the feedback. An absent
 * reason is removed.
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
