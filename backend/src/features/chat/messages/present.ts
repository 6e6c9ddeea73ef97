import type { Person } from '../../../contract/access.ts';
import type { Message, Reply, SentMessage, UserMessage } from '../../../contract/messages.ts';
import type { AsksWorkspaces, ConversationRecord } from '../conversations/index.ts';
import type { MessageRecord, ReplyRecord, UserMessageRecord } from './record.ts';
import { partsOf } from './text-parts.ts';
import { type Place, withId } from './tree.ts';

/** The people of a message as readers see them; none in a conversation of one person. */
interface People {
  author?: Person;
  stoppedBy?: Person;
}
type WithPeople = Pick<MessageRecord, 'authorId'> & Pick<ReplyRecord, 'stoppedBy'>;
type Authors = (record: WithPeople) => People;

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

const presentUserMessage = (record: UserMessageRecord, around: Around): UserMessage => ({
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
  ...(record.settings.persona && { persona: record.settings.persona }),
});

export const presentMessage = (record: MessageRecord, around: Around): Message =>
  record.role === 'user' ? presentUserMessage(record, around) : presentReply(record, around);

/** A user message and its reply, with the messages beside each as they were read. */
export const presentSent = (
  { message, reply }: { message: UserMessageRecord; reply: ReplyRecord },
  { siblings, replies, authors }: { siblings: Place[]; replies: Place[]; authors: Authors },
): SentMessage => ({
  message: presentUserMessage(message, {
    siblingIds: withId(siblings, message.id),
    ...authors(message),
  }),
  reply: presentReply(reply, { siblingIds: withId(replies, reply.id), ...authors(reply) }),
});

/** What of a stored message only some readers see; of a new one its conversation tells as much. */
interface Seen {
  ownerId: string;
  feedback?: ReplyRecord['feedback'];
}

/** A presented message as a user who may read it sees it: memories are the owner's, feedback is each user's own. */
export function seenBy<M extends Message>(
  userId: string,
  { ownerId, feedback = {} }: Seen,
  message: M,
): M {
  const own = message.role === 'assistant' ? feedback[userId] : undefined;
  const rated = own ? { ...message, feedback: own } : message;
  if (userId === ownerId || !rated.metadata?.memoryReceipt) return rated;
  const { memoryReceipt: _ofOwner, ...metadata } = rated.metadata;
  return { ...rated, metadata };
}
