import type { FilesReceipt, MessageMetadata } from '../contract/messages.ts';
import type { Depth, MemoryMode, PanelChoice, PersonaRef } from '../contract/reply-settings.ts';
import type { JsonModel } from '../llm/index.ts';
import type { Payer } from './payer.ts';

/** The members of a fusion that answer in turn, in order, as of the send. */
export interface Panel extends PanelChoice {
  members: PersonaRef[];
}

/** The settings of a reply, as its send chose. */
export interface ReplySettings {
  /** Null: no persona. */
  persona: PersonaRef | null;
  /** Absent: a single answer. */
  panel?: Panel;
  depth: Depth;
  memory: MemoryMode;
  /** In a temporary conversation. */
  temporary: boolean;
  /** In a conversation of a trial, which counts in no statistics. */
  trial?: boolean;
  /** Maximum length of a prompt, in tokens, when it is less than the operator's. */
  contextTokens?: number;
  /** The conversation that the first reply of a new one sums up. */
  summaryOf?: SummarySource;
}

/** A path of a conversation of the same owner. */
export interface SummarySource {
  conversationId: string;
  leafId: string;
  /** UTF-8 bytes of its messages. */
  bytes: number;
}

/** The basis of a reply: the path down to the user message. */
export interface ReplyPath {
  ownerId: string;
  conversationId: string;
  replyId: string;
  /** Oldest first; the last one is the message that the reply answers. */
  path: { id: string; role: 'user' | 'assistant'; content: string; fileIds: string[] }[];
  signal: AbortSignal;
}

/** The input of a contributor. */
export interface ContextInput extends ReplyPath, ReplySettings {
  /** Maximum tokens of its text. */
  budgetTokens: number;
}

/** The means to ask the model for the question in other words. Its usage is charged once per attempt of a reply. */
export interface Rephrasing {
  jsonModel: Pick<JsonModel, 'answer' | 'model'>;
  payer: Payer;
  attempt: number;
  /** The answer for this attempt, once it is asked for: the members of a panel share it. */
  asked?: Promise<readonly string[]>;
}

/** The input of the files. */
export interface FilesInput extends ReplyPath {
  /** Tokens that their text and the history share; known once the contributors have answered. */
  budgetTokens: number | Promise<number>;
  /** The share of `budgetTokens` for passages when the whole text is too long; half by default. */
  share?: number;
  /** Absent: the question is searched for as it is. */
  rephrasing?: Rephrasing | undefined;
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

/** The text of a conversation's files in a prompt. */
export interface FilesContext {
  /** Instructions about the files and their delimited text; empty when the conversation has no files. */
  text: string;
  images: ContextImage[];
  passages: CitablePassage[];
  receipt: FilesReceipt[];
}

/** The model that a persona names. The default model answers when it is no longer offered. */
export interface NamedModel {
  name: string;
  isOffered: boolean;
}

/** The result of a contributor. */
export interface Contribution {
  /** Empty when there is nothing to add. */
  text: string;
  /** Stored with the end of the reply. Each key belongs to one contributor. */
  metadata?: Partial<MessageMetadata> | undefined;
  /** One sentence for the user about left-out text. */
  cut?: string | undefined;
  /** Files of the owner for the prompt, besides those of the path. */
  fileIds?: readonly string[] | undefined;
  /** The persona as it was used, when it differs from the send's; null when it is gone. */
  persona?: PersonaRef | null | undefined;
  /** The model that answers; absent: the default. */
  model?: NamedModel | undefined;
}

/**
 * A feature's part of each prompt. It runs in parallel with the other contributors and the files. An error fails the attempt, so a
 * contributor catches what a reply can do without.
 */
export interface ContextContributor {
  /** The part of the prompt; each part has one contributor. */
  name: 'persona' | 'memory';
  /**
   * @returns undefined without a contribution, which then costs no query.
   * @throws the signal's reason
   */
  contribute: (input: ContextInput) => Promise<Contribution | undefined>;
}
