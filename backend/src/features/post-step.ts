import type { MessageMetadata } from '../contract/messages.ts';
import type { ReplySettings } from './context.ts';

/** A complete reply and the user message that it answers. */
export interface PostStepInput {
  conversationId: string;
  ownerId: string;
  /** The number of this run of the step for the reply, from 1: what it calls is reserved and charged by run. */
  run: number;
  message: {
    id: string;
    content: string;
    createdAt: Date;
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
  /** Aborted when the step takes too long or the worker stops; the step is then tried again. */
  signal: AbortSignal;
}

/**
 * Work that follows each complete reply, in a job of its own: the reply does not wait for it. A step runs at least once: it
 * runs again when it throws, when its worker is lost, and when the queue loses its job. So it is idempotent: it
 * derives the ids of what it stores from the reply and the attempt. A step that failed every time is given up and logged.
 */
export interface PostStep {
  /** Unique among all features, of a-z and `-`. Stored with each reply until the step ends: renaming one drops what is pending. */
  name: string;
  /** Whether a reply that ends complete needs the step; every one does when left out. */
  isNeeded?: (reply: {
    content: string;
    metadata?: Partial<MessageMetadata> | undefined;
    settings: ReplySettings;
    /** The user message; empty when it is not known. */
    question?: string;
  }) => boolean;
  /**
   * The metadata that it returns is stored with the reply in the same update that ends the step, then published. Each
   * key belongs to one step: those of others stay as they are.
   */
  run: (input: PostStepInput) => Promise<Partial<MessageMetadata> | undefined>;
}
