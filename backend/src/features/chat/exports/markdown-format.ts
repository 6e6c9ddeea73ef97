import * as z from 'zod';
import { ExportedMessage } from '../../../contract/exports.ts';

// A conversation as Markdown. Comments, which readers of Markdown do not show, mark where each message begins, so that it can be
// imported again.

/** What the first line says of the conversation. */
export const ConversationMark = z.object({
  version: z.number(),
  title: z.string(),
  createdAt: z.iso.datetime().optional(),
});

/** What the line before a message says of it. */
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

/** A text whose own lines look like no mark. */
export const escapeMarks = (text: string): string =>
  text.replace(/^(\\*<!-- stolas:)/gm, String.raw`\$1`);

export const unescapeMarks = (text: string): string => text.replace(/^\\(\\*<!-- stolas:)/gm, '$1');
