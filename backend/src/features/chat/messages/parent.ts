import { isActive } from '../../../contract/messages.ts';
import { invalidField, notFound } from '../../../errors.ts';
import { type ConversationRecord, replyInProgress } from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import type { MessageRecord, Scope } from './record.ts';

/** The position of a new message; without `parentId`, after the active leaf. */
interface Target {
  parentId?: string | null | undefined;
}

/** The message above a new one. */
export interface Parent {
  id: string | null;
  depth: number;
  /** UTF-8 bytes of the messages from the root to this one, with their files. */
  pathLength: number;
}

const ABOVE_ALL: Parent = { id: null, depth: -1, pathLength: 0 };
/** The active leaf is nearly always among this number of deepest messages. */
const TIP = 3;

type Messages = Pick<ChatFeature, 'messages'>;
type InConversation = Pick<ChatFeature, 'messages' | 'others'>;

/** The probable active leaf with its neighbours, read before the leaf is known; nothing when a parent is named. */
export const readTip = async (
  { messages }: Messages,
  { parentId, ...scope }: Target & Pick<Scope, 'conversationId'>,
): Promise<MessageRecord[]> => (parentId === undefined ? messages.tip(scope, TIP) : []);

/**
 * Finds the reply that a message follows.
 * @throws AppError not_found, invalid_field, reply_in_progress
 */
export async function selectParent(
  chat: InConversation,
  conversation: ConversationRecord,
  { parentId, candidates }: Target & { candidates: MessageRecord[] },
): Promise<Parent> {
  const { id: conversationId, ownerId, activeLeafId } = conversation;
  const id = parentId === undefined ? activeLeafId : parentId;
  if (id === null) return ABOVE_ALL;
  const found = candidates.find((record) => record.id === id);
  if (found || parentId !== undefined) return toParent(chat, conversation, found ?? null);
  const stored = await chat.messages.find(id, { conversationId, ownerId });
  return toParent(chat, conversation, stored);
}

async function toParent(
  chat: InConversation,
  conversation: ConversationRecord,
  record: MessageRecord | null,
): Promise<Parent> {
  if (!record) throw notFound('message');
  if (record.role === 'user') throw invalidField('parentId', 'A message can only follow a reply.');
  if (isActive(record.status)) throw await replyInProgress(chat, conversation);
  return { id: record.id, depth: record.depth, pathLength: await lengthDownTo(chat, record) };
}

/** UTF-8 bytes of the messages from the root to this one, with their files. */
export async function lengthDownTo({ messages }: Messages, record: MessageRecord): Promise<number> {
  if (record.pathLength !== undefined) return record.pathLength;
  // A reply that was stopped before its first attempt has none.
  const above = record.parentId ? await messages.find(record.parentId, record) : null;
  return (above?.pathLength ?? 0) + Buffer.byteLength(record.content);
}
