import type { ExportedMessage } from '../../contract/conversations.ts';
import { namedText } from '../../contract/reply-text.ts';
import type { SharedMessage, SharedPart, SharedSource } from '../../contract/shares.ts';

/** Stands above a first reply: every reply follows a message. */
const NO_QUESTION: SharedMessage = { role: 'user', parts: [{ type: 'text', text: '…' }] };

/** The messages of a link that begin with one of a user. */
export const fromQuestion = (messages: readonly SharedMessage[]): readonly SharedMessage[] =>
  messages[0]?.role === 'assistant' ? [NO_QUESTION, ...messages] : messages;

/** What a link shows as messages of an import, each below the one before it. */
export function exportedMessages(messages: readonly SharedMessage[]): ExportedMessage[] {
  // Imports replace a missing time.
  const createdAt = new Date(0).toISOString();
  return messages.map((message, index) => ({
    id: String(index),
    parentId: index === 0 ? null : String(index - 1),
    role: message.role,
    content: textOf(message),
    createdAt,
    ...(message.state && { status: 'interrupted' as const }),
    ...(message.files && { files: message.files.map(({ name }) => name) }),
  }));
}

function textOf({ parts, sources = [] }: SharedMessage): string {
  const text = namedText(parts.map(toPart));
  return sources.length > 0 ? `${text}\n\n${sources.map(lineOf).join('\n')}\n` : text;
}

/** A member without a name has its number. */
const toPart = ({ type, text, member, name }: SharedPart) => ({
  type,
  text,
  ...(member !== undefined && { personaId: String(member), personaName: name ?? String(member) }),
});

const lineOf = ({ n, fileName, page }: SharedSource): string => `[${n}] ${fileName}, page ${page}`;
