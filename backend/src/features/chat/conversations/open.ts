import { type Action, type Actor, can, type Reader } from '../../../access/index.ts';
import { type AsksWorkspaces, openShared } from '../../record-grants.ts';
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

/** Those conversations among `ids` that a reader may read. */
export async function readableAmong(
  { conversations }: { conversations: Pick<ConversationStore, 'findMany'> },
  reader: Reader,
  ids: string[],
): Promise<ConversationRecord[]> {
  const found = ids.length > 0 ? await conversations.findMany(ids) : [];
  return found.filter((record) => can(reader, 'read', record));
}
