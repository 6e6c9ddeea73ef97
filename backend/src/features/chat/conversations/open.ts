import { type Action, type Actor, can, type Reader, requireCan } from '../../../access/index.ts';
import { unavailable } from '../../../errors.ts';
import type { WorkspacesService } from '../../workspaces/index.ts';
import type { ConversationRecord, ConversationStore } from './model.ts';

/** What is needed to open a conversation. */
export interface Opening extends AsksWorkspaces {
  conversations: Pick<ConversationStore, 'find' | 'findShared'>;
}

/** What is needed to know the readers of a conversation. */
export interface AsksWorkspaces {
  others: { workspaces: WorkspacesService };
}

/**
 * The only way to a conversation for a user: their own, or one that is shared with them. From here on its data is read and changed by
 * `ownerId` of the conversation.
 * @throws AppError not_found for one that the user may not read; forbidden with `role` for one that the user may read only
 */
export async function openConversation(
  { conversations, others }: Opening,
  { userId }: Pick<Actor, 'userId'>,
  { id, action }: { id: string; action: Action },
): Promise<ConversationRecord> {
  const own = await conversations.find({ id, ownerId: userId });
  if (own && !own.givenTo) return own;
  const [record, reader] = await Promise.all([
    conversations.findShared(id),
    readerOf(others, userId),
  ]);
  const opened = requireCan(reader, action, { record, what: 'conversation' });
  // Its messages are following: for some milliseconds, or until a crashed hand-over is continued.
  if (opened.givenTo === opened.ownerId) throw unavailable();
  return opened;
}

/** Whether a user may read one of these conversations, which a user owns or owned. */
export async function mayReadAny(
  {
    conversations,
    others,
  }: AsksWorkspaces & { conversations: Pick<ConversationStore, 'findMany'> },
  { userId }: Pick<Actor, 'userId'>,
  { ownerId, ids }: { ownerId: string; ids: string[] },
): Promise<boolean> {
  const found = await conversations.findMany(ids);
  const shared = found.filter(
    (one) =>
      (one.ownerId === ownerId || one.formerOwners.includes(ownerId)) &&
      (one.grants.length > 0 || one.ownerId === userId),
  );
  if (shared.length === 0) return false;
  const reader = await readerOf(others, userId);
  return shared.some((record) => can(reader, 'read', record));
}

/** A user with the workspaces by which conversations may be shared with the user. */
export const readerOf = async (
  { workspaces }: AsksWorkspaces['others'],
  userId: string,
): Promise<Reader> => ({ userId, workspaces: await workspaces.places({ userIds: [userId] }) });
