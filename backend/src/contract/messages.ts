import * as z from 'zod';
import type { ReplyError } from './errors.ts';
import { MAX_MESSAGE_LENGTH } from './limits.ts';

/** POST /api/conversations/{id}/messages. `clientMessageId` makes a repeated send the same send. */
export const SendMessageBody = z.object({
  content: z
    .string()
    .max(MAX_MESSAGE_LENGTH, `Shorten the message to ${MAX_MESSAGE_LENGTH} characters.`)
    .refine((text) => text.trim() !== '', 'Write a message first.'),
  clientMessageId: z.uuid().optional(),
});
export type SendMessageBody = z.input<typeof SendMessageBody>;

/** `queued` and `streaming` are active; the other four are terminal. */
export type ReplyStatus =
  | 'queued'
  | 'streaming'
  | 'complete'
  | 'failed'
  | 'stopped'
  | 'interrupted';

export interface MessageFile {
  name?: string;
  url?: string;
  objectPath?: string;
}

export interface MessageMetadata {
  files?: MessageFile[];
  insightCards?: { insight: string }[];
}

interface MessageBase {
  id: string;
  conversationId: string;
  content: string;
  /** ISO 8601. */
  createdAt: string;
  metadata?: MessageMetadata;
}

export interface UserMessage extends MessageBase {
  role: 'user';
  /** The id that the sending client gave it; a tab recognises its own echo by it. */
  clientMessageId?: string;
}

/** An assistant message, while and after it is generated. */
export interface Reply extends MessageBase {
  role: 'assistant';
  /** The user message it answers. */
  parentId: string;
  status: ReplyStatus;
  /** 0 until a worker claims it; each claim raises it. `content` is the text of this attempt. */
  attempt: number;
  error?: ReplyError;
}

export type Message = UserMessage | Reply;

/** 202 answer of a send: both are durable by then. */
export interface SendMessageResult {
  message: UserMessage;
  reply: Reply;
}

export const isActive = (status: ReplyStatus): boolean =>
  status === 'queued' || status === 'streaming';
