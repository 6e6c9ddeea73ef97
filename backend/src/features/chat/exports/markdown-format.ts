import * as z from 'zod';
import { ExportedMessage } from '../../../contract/conversations.ts';

// A conversation as Markdown. A comment, which Markdown readers do not show, marks where each message begins, so that the file can be
// imported again.

/** The data in the first line about the conversation. */
export const ConversationMark = z.object({
  version: z.number(),
  title: z.string(),
  createdAt: z.iso.datetime().optional(),
});

/** The data in the line before a message. */
export const MessageMark = ExportedMessage.pick({
  role: true,
  createdAt: true,
  status: true,
  ending: true,
  files: true,
});
export type MessageMark = z.infer<typeof MessageMark>;

type Mark = 'conversation' | 'message';

/** A comment of one line; its data cannot end it. */
export const mark = (kind: Mark, data: object): string =>
  `<!-- stolas:${kind} ${JSON.stringify(data).replace(/</g, String.raw`\u003c`).replace(/>/g, String.raw`\u003e`)} -->`;

export const CONVERSATION_MARK = /^\ufeff?<!-- stolas:conversation (\{.*\}) -->\r?\n/;
export const MESSAGE_MARK = /^<!-- stolas:message (\{.*\}) -->\r?$/gm;

/** Escapes lines of a text that look like a mark. */
export const escapeMarks = (text: string): string =>
  text.replace(/^(\\*<!-- stolas:)/gm, String.raw`\$1`);

export const unescapeMarks = (text: string): string => text.replace(/^\\(\\*<!-- stolas:)/gm, '$1');
