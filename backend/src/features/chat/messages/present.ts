import type { Person, ReaderRole } from '../../../contract/access.ts';
import type { Message, Reply, ReplyPart, UserMessage } from '../../../contract/messages.ts';
import type { AsksWorkspaces, ConversationRecord } from '../conversations/index.ts';
import type { MessageRecord, ReplyRecord, UserMessageRecord } from './record.ts';

/** The author of a message as readers see it; undefined in a conversation of one person. */
export type Authors = (record: Pick<MessageRecord, 'authorId'>) => Person | undefined;

/** The authors of these messages of a conversation, with one read, or none when it has one person only. */
export async function authorsOf(
  { others: { workspaces } }: AsksWorkspaces,
  { grants, ownerId }: Pick<ConversationRecord, 'grants' | 'ownerId'>,
  records: readonly Pick<MessageRecord, 'authorId'>[],
): Promise<Authors> {
  const userIds = [...new Set(records.map(({ authorId }) => authorId))];
  if (grants.length === 0 && userIds.every((id) => id === ownerId)) return () => undefined;
  const nameOf = await workspaces.names({ userIds });
  return ({ authorId: id }) => ({ id, name: nameOf(id) });
}

const shared = (
  { id, conversationId, parentId, content, createdAt, metadata }: MessageRecord,
  { siblingIds, author }: Around,
) => ({
  id,
  conversationId,
  parentId,
  siblingIds,
  content,
  createdAt: createdAt.toISOString(),
  ...(metadata && { metadata }),
  ...(author && { author }),
});

/** What is presented with a message. */
interface Around {
  siblingIds: string[];
  author: Person | undefined;
}

export const presentUserMessage = (record: UserMessageRecord, around: Around): UserMessage => ({
  ...shared(record, around),
  role: 'user',
  ...(record.clientMessageId && { clientMessageId: record.clientMessageId }),
});

export const presentReply = (record: ReplyRecord, around: Around): Reply => ({
  ...shared(record, around),
  role: 'assistant',
  status: record.status,
  attempt: record.attempt,
  parts: partsOf(record),
  ...(record.error && { error: record.error }),
  ...(record.ending && { ending: record.ending }),
  ...(record.feedback && { feedback: record.feedback }),
  ...(record.settings.persona && { persona: record.settings.persona }),
});

export const presentMessage = (record: MessageRecord, around: Around): Message =>
  record.role === 'user' ? presentUserMessage(record, around) : presentReply(record, around);

/** A presented message as a reader with this role sees it: memories and feedback are the owner's. */
export function seenBy<M extends Message>(role: ReaderRole, message: M): M {
  if (role === 'owner') return message;
  const { feedback: _feedback, ...rest } = message as M & Partial<Reply>;
  const { memoryReceipt, ...metadata } = rest.metadata ?? {};
  return (memoryReceipt ? { ...rest, metadata } : rest) as M;
}

/** The role by which a user sees messages of a conversation that the user may read. */
export const seesAs = (userId: string, { ownerId }: { ownerId: string }): ReaderRole =>
  userId === ownerId ? 'owner' : 'viewer';

/** Parts are stored only when a reply is more than its text. */
const partsOf = ({ parts, content }: ReplyRecord): ReplyPart[] => {
  if (parts) return parts;
  return content === '' ? [] : [{ type: 'text', text: content }];
};
