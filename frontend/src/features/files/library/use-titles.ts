import { CONVERSATION_PAGE_SIZE, type Conversation } from '@stolas/backend/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  type ConversationPages,
  conversationListKey,
  conversationPage,
  getNumbered,
} from '../../../realtime/index.ts';

/** The titles of conversations by their ids; undefined while they are read. Deleted conversations are left out. */
export function useTitles(ids: readonly string[]): ReadonlyMap<string, string> | undefined {
  const wanted = [...new Set(ids)].toSorted();
  const { data } = useQuery({
    queryKey: conversationListKey({ ids: wanted }),
    queryFn: (read) => readConversations(wanted, read),
    enabled: wanted.length > 0,
    placeholderData: keepPreviousData,
  });
  if (wanted.length === 0) return NONE;
  return data && new Map(data.pages.flatMap((page) => page.conversations).map(entryOf));
}

const NONE: ReadonlyMap<string, string> = new Map();
const entryOf = ({ id, title }: Conversation): [string, string] => [id, title];

async function readConversations(
  ids: readonly string[],
  read: Parameters<typeof getNumbered>[1],
): Promise<ConversationPages> {
  const starts = ids.flatMap((_id, i) => (i % CONVERSATION_PAGE_SIZE === 0 ? [i] : []));
  const pages = starts.map(async (start) => {
    const some = ids.slice(start, start + CONVERSATION_PAGE_SIZE).join('%2C');
    return conversationPage(
      await getNumbered<readonly Conversation[]>(`/api/conversations?ids=${some}`, read),
      CONVERSATION_PAGE_SIZE,
    );
  });
  return { pages: await Promise.all(pages), pageParams: starts.map(() => null) };
}
