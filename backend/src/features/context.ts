import type { FilesReceipt } from '../contract/messages.ts';

/** What a reply is to be written from: the path down to the user message. */
export interface ContextInput {
  ownerId: string;
  conversationId: string;
  replyId: string;
  /** Oldest first; the last one is the message that the reply answers. */
  path: { id: string; role: 'user' | 'assistant'; content: string; fileIds: string[] }[];
  /** Tokens of the whole prompt; contributors share them. */
  budgetTokens: number;
  signal: AbortSignal;
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
