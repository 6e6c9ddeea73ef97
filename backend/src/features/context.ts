import type { FilesReceipt, MessageMetadata } from '../contract/messages.ts';
import type { Depth, MemoryMode, PanelChoice, PersonaRef } from '../contract/reply-settings.ts';

/** The members of a fusion that answer in turn, in their order, as the send found them. */
export interface Panel extends PanelChoice {
  members: PersonaRef[];
}

/** How a reply is to be written, as its send chose. */
export interface ReplySettings {
  /** Null: no persona. */
  persona: PersonaRef | null;
  /** Absent: one answer. */
  panel?: Panel;
  depth: Depth;
  memory: MemoryMode;
  /** In a temporary conversation. */
  temporary: boolean;
  /** In a conversation of a trial, which counts in no figures. */
  trial?: boolean;
  /** Longest prompt, in tokens, when it is less than that of the operator. */
  contextTokens?: number;
  /** The conversation that the first reply of another one is to sum up. */
  summaryOf?: SummarySource;
}

/** A path of a conversation of the same owner. */
export interface SummarySource {
  conversationId: string;
  leafId: string;
  /** UTF-8 bytes of its messages. */
  bytes: number;
}

/** What a reply is to be written from: the path down to the user message. */
export interface ReplyPath {
  ownerId: string;
  conversationId: string;
  replyId: string;
  /** Oldest first; the last one is the message that the reply answers. */
  path: { id: string; role: 'user' | 'assistant'; content: string; fileIds: string[] }[];
  signal: AbortSignal;
}

/** What a contributor is given. */
export interface ContextInput extends ReplyPath, ReplySettings {
  /** Most tokens of its text. */
  budgetTokens: number;
}

/** What the files are given. */
export interface FilesInput extends ReplyPath {
  /** Tokens that their text shares with the history; known once the contributors have answered. */
  budgetTokens: number | Promise<number>;
  /** Most passages when the whole text is too long. */
  passageCount?: number;
}

/** An image for a model that can see. */
export interface ContextImage {
  name: string;
  /** image/jpeg or image/png. */
  type: string;
  bytes: Buffer;
}

/** A passage that the model may cite as `[<id>]`. */
export interface CitablePassage {
  /** `p1`, `p2`, … in the order of the prompt. */
  id: string;
  fileId: string;
  fileName: string;
  /** From 1. */
  page: number;
  /** UTF-16 code units in the page's text. */
  start: number;
  end: number;
  text: string;
}

/** What the files of a conversation add to a prompt. */
export interface FilesContext {
  /** Instructions about the files and their delimited text; empty when the conversation has no files. */
  text: string;
  images: ContextImage[];
  passages: CitablePassage[];
  receipt: FilesReceipt[];
}

/** The model that a persona names. When it is not offered any more, the default one answers. */
export interface NamedModel {
  name: string;
  isOffered: boolean;
}

/** What a contributor adds to a prompt. */
export interface Contribution {
  /** Empty when there is nothing to add. */
  text: string;
  /** Stored with the end of the reply. Each key belongs to one contributor. */
  metadata?: Partial<MessageMetadata> | undefined;
  /** One sentence for the user about what was left out. */
  cut?: string | undefined;
  /** Files of the owner that the prompt is to have besides those of the path. */
  fileIds?: readonly string[] | undefined;
  /** The persona as it was used, when it is not the one of the send any more; null when it is gone. */
  persona?: PersonaRef | null | undefined;
  /** The model that is to answer; left out, the default one. */
  model?: NamedModel | undefined;
}

/**
 * A feature's share of each prompt. It runs beside the other contributors and the files; what it throws fails the attempt, so
 * it catches what a reply can do without.
 */
export interface ContextContributor {
  /** The part of the prompt; one contributor each. */
  name: 'persona' | 'memory';
  /** @returns undefined when it takes no part, which then costs no query. @throws the signal's reason */
  contribute: (input: ContextInput) => Promise<Contribution | undefined>;
}
