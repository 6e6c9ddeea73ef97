import { type Actor, type Reader, roleIn } from '../../../access/index.ts';
import { CONVERSATION_PAGE_SIZE, type Conversation } from '../../../contract/conversations.ts';
import { principalsOf, readerOf } from '../../record-grants.ts';
import type { ChatFeature } from '../feature.ts';
import type { ConversationFilter, ConversationRecord } from './model.ts';
import { presentFor } from './present.ts';

/** A page of the actor's conversations and of those shared with the actor, last updated first. */
export async function listConversations(
  chat: Pick<ChatFeature, 'conversations' | 'others' | 'views'>,
  actor: Pick<Actor, 'userId'>,
  filter: ConversationFilter,
): Promise<Conversation[]> {
  const reader = await readerOf(chat.others, actor.userId);
  const records = await readPage(chat, reader, { ...filter, limit: CONVERSATION_PAGE_SIZE });
  return presentFor(chat, actor.userId, { records, roleOf: (record) => roleIn(reader, record) });
}

/**
 * A page of all that the reader may read: one page by the owner's index and one by the index of each principal, merged. Its cost depends
 * on its size, not on how many conversations there are.
 */
async function readPage(
  { conversations }: Pick<ChatFeature, 'conversations'>,
  reader: Reader,
  page: ConversationFilter & { limit: number },
): Promise<ConversationRecord[]> {
  const parts = await Promise.all(
    [{ ownerId: reader.userId }, ...sharedWith(reader)].map((of) => conversations.page(of, page)),
  );
  return newest(parts, page.limit);
}

const sharedWith = (reader: Reader) => principalsOf(reader).map((principal) => ({ principal }));

/** The conversations of several lists, each once, last updated first. */
function newest(lists: ConversationRecord[][], limit: number): ConversationRecord[] {
  const byId = new Map(lists.flat().map((record) => [record.id, record]));
  const newestFirst = (a: ConversationRecord, b: ConversationRecord) =>
    b.updatedAt.getTime() - a.updatedAt.getTime() || (a.id < b.id ? 1 : -1);
  return [...byId.values()].toSorted(newestFirst).slice(0, limit);
}

/** The conversations of others that are shared with the reader, last updated first. */
export async function readShared(
  { conversations }: Pick<ChatFeature, 'conversations'>,
  reader: Reader,
  limit: number,
): Promise<ConversationRecord[]> {
  const exceptOwner = reader.userId;
  const parts = await Promise.all(
    sharedWith(reader).map((of) => conversations.page({ ...of, exceptOwner }, { limit })),
  );
  return newest(parts, limit);
}
