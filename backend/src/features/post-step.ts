import type { MessageMetadata } from '../contract/messages.ts';
import type { ReplySettings } from './context.ts';
import type { Payer } from './payer.ts';

/** A complete reply and the user message that it answers. */
export interface PostStepInput {
  conversationId: string;
  ownerId: string;
  /** Pays for the calls of the step. */
  payer: Payer;
  /** The number of this run of the step for the reply, from 1. Its calls are reserved and charged by run. */
  run: number;
  message: {
    id: string;
    content: string;
    createdAt: Date;
    /** The owner has typed it: somebody else has not, and it is no part of an import or a copy. */
    isTypedByOwner?: true | undefined;
    metadata?: MessageMetadata | undefined;
  };
  reply: {
    id: string;
    attempt: number;
    content: string;
    settings: ReplySettings;
    /** As it was when the step began. */
    metadata?: MessageMetadata | undefined;
  };
  /** Aborted when the step takes too long or the worker stops; the step is then retried. */
  signal: AbortSignal;
}

/**
 * Work that follows each complete reply, in a separate job, so that the reply does not wait. A step runs at least once: it runs again when
 * it throws, when its worker is lost, and when the queue loses its job. So it is idempotent: it derives the ids of stored records from the
 * reply and the attempt. A step whose retries all failed is given up and logged.
 */
export interface PostStep {
  /** Unique among all features, of a-z and `-`. Stored with each reply until the step ends: renaming it drops pending steps. */
  name: string;
  /** Whether a complete reply needs the step; by default every reply does. */
  isNeeded?: (reply: {
    content: string;
    metadata?: Partial<MessageMetadata> | undefined;
    settings: ReplySettings;
    /** The user message; empty when it is unknown. */
    question?: string;
  }) => boolean;
  /**
   * The returned metadata is stored with the reply in the update that ends the step, then published. Each key belongs to one step: keys of
   * others stay unchanged.
   */
  run: (input: PostStepInput) => Promise<Partial<MessageMetadata> | undefined>;
}
