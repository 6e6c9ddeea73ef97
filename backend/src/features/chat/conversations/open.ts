import { type Action, type Actor, can } from '../../../access/index.ts';
import { type AsksWorkspaces, openShared, readerOf } from '../../record-grants.ts';
import type { ConversationRecord, ConversationStore } from './model.ts';

/** What is needed to open a conversation. */
export interface Opening extends AsksWorkspaces {
  conversations: Pick<ConversationStore, 'find' | 'findShared'>;
}

/**
 * The only way to a conversation for a user: their own, or one that is shared with them. From here on its data is read and changed by
 * `ownerId` of the conversation.
 * @throws AppError not_found for one that the user may not read; forbidden with `role` for one that the user may read only
 */
export const openConversation = (
  { conversations: store, others }: Opening,
  actor: Pick<Actor, 'userId'>,
  wanted: { id: string; action: Action },
): Promise<ConversationRecord> =>
  openShared({ others }, actor, { ...wanted, what: 'conversation', store });

/** Whether a user may read one of these conversations, which one of `ownerIds` owns or owned. */
export async function mayReadAny(
  {
    conversations,
    others,
  }: AsksWorkspaces & { conversations: Pick<ConversationStore, 'findMany'> },
  { userId }: Pick<Actor, 'userId'>,
  { ownerIds, ids }: { ownerIds: string[]; ids: string[] },
): Promise<boolean> {
  const found = await conversations.findMany(ids);
  const shared = found.filter(
    (one) =>
      ownerIds.some((id) => one.ownerId === id || one.formerOwners.includes(id)) &&
      (one.grants.length > 0 || one.ownerId === userId),
  );
  if (shared.length === 0) return false;
  const reader = await readerOf(others, userId);
  return shared.some((record) => can(reader, 'read', record));
}
