import type { Conversation } from '@stolas/backend/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ConversationPages } from '../../realtime/index.ts';
import { conversationsByIdQuery, conversationsQuery } from './api.ts';
import { NEW } from './selection.ts';

/** Whether a conversation has only the UUID that this browser gave it: it is created with its first message. */
export const isUncreated = (conversationId: string): boolean => conversationId.includes('-');

/** Whether the next message creates the conversation. */
export const isNewChat = (conversationId: string): boolean =>
  conversationId === NEW || isUncreated(conversationId);

/** A conversation, on whichever page of the list it is. */
export function useConversation(conversationId: string | null): Conversation | undefined {
  const { data: loaded } = useInfiniteQuery(conversationsQuery());
  const onPage = conversationsOf(loaded).find(({ id }) => id === conversationId);
  const isStored = conversationId !== null && !isNewChat(conversationId);
  const isElsewhere = loaded !== undefined && isStored && !onPage;
  const { data } = useQuery(conversationsByIdQuery(isElsewhere ? [conversationId] : []));
  return onPage ?? conversationsOf(data)[0];
}

export const conversationsOf = (data: ConversationPages | undefined): readonly Conversation[] =>
  data?.pages.flatMap((page) => page.conversations) ?? [];
