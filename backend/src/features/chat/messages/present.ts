import type { Person } from '../../../contract/access.ts';
import type { Message, Reply, ReplyPart, UserMessage } from '../../../contract/messages.ts';
import type { ReaderRole } from '../../../contract/roles.ts';
import type { AsksWorkspaces, ConversationRecord } from '../conversations/index.ts';
import type { MessageRecord, ReplyRecord, UserMessageRecord } from './record.ts';

/** The people of a message as readers see them; none in a conversation of one person. */
interface People {
  author?: Person;
  stoppedBy?: Person;
}
type WithPeople = Pick<MessageRecord, 'authorId'> & Pick<ReplyRecord, 'stoppedBy'>;
export type Authors = (record: WithPeople) => People;

/** The people of these messages of a conversation, with one read, or none when it has one person only. */
export async function authorsOf(
  { others: { workspaces } }: AsksWorkspaces,
  { grants, ownerId }: Pick<ConversationRecord, 'grants' | 'ownerId'>,
  records: readonly WithPeople[],
): Promise<Authors> {
  const userIds = [
    ...new Set(records.flatMap(({ authorId, stoppedBy }) => [authorId, stoppedBy ?? authorId])),
  ];
  if (grants.length === 0 && userIds.every((id) => id === ownerId)) return () => ({});
  const nameOf = await workspaces.names({ userIds });
  const person = (id: string) => ({ id, name: nameOf(id) });
  return ({ authorId, stoppedBy }) => ({
    author: person(authorId),
    ...(stoppedBy && { stoppedBy: person(stoppedBy) }),
  });
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
interface Around extends People {
  siblingIds: string[];
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
  ...(around.stoppedBy && { stoppedBy: around.stoppedBy }),
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
