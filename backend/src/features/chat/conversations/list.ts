import { type Actor, type Reader, roleIn } from '../../../access/index.ts';
import { CONVERSATION_PAGE_SIZE, type Conversation } from '../../../contract/conversations.ts';
import { indexesOf, newestOf, principalsOf, readerOf } from '../../record-grants.ts';
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
  const page = { ...filter, limit: CONVERSATION_PAGE_SIZE };
  const records = await newest(
    indexesOf(reader).map((of) => chat.conversations.page(of, page)),
    page,
  );
  return presentFor(chat, actor.userId, { records, roleOf: (record) => roleIn(reader, record) });
}

/** The conversations of others that are shared with the reader, last updated first. */
export const readShared = (
  { conversations }: Pick<ChatFeature, 'conversations'>,
  reader: Reader,
  limit: number,
): Promise<ConversationRecord[]> =>
  newest(
    principalsOf(reader).map((principal) =>
      conversations.page({ principal, exceptOwner: reader.userId }, { limit }),
    ),
    { limit },
  );

const newest = (pages: Promise<ConversationRecord[]>[], { limit }: { limit: number }) =>
  newestOf(pages, { at: ({ updatedAt }) => updatedAt, limit });
