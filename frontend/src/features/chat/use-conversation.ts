import type { Conversation } from '@stolas/backend/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ConversationPages, conversationsByIdQuery } from '../../realtime/index.ts';
import { conversationsQuery } from './api.ts';
import { NEW } from './selection.ts';

/** Whether a conversation has only the UUID that this browser gave it: it is created with its first message. */
export const isUncreated = (conversationId: string): boolean => conversationId.includes('-');

/** Whether the next message creates the conversation. */
export const isNewChat = (conversationId: string): boolean =>
  conversationId === NEW || isUncreated(conversationId);

/** A conversation, on whichever page of the list it is. */
export const useConversation = (conversationId: string | null): Conversation | undefined =>
  useConversationPart(conversationId, (conversation) => conversation);

/** A part of a conversation. What uses it is drawn again only when the part changes; most of the rest changes with each message. */
export function useConversationPart<T>(
  conversationId: string | null,
  partOf: (conversation: Conversation) => T,
): T | undefined {
  const select = (data: ConversationPages) => {
    const found = conversationsOf(data).find(({ id }) => id === conversationId);
    return found ? { part: partOf(found) } : null;
  };
  const { data: onPage } = useInfiniteQuery({ ...conversationsQuery(), select });
  const isStored = conversationId !== null && !isNewChat(conversationId);
  const isElsewhere = onPage === null && isStored;
  const byId = conversationsByIdQuery(isElsewhere ? [conversationId] : []);
  const { data: elsewhere } = useQuery({ ...byId, select });
  return (onPage ?? elsewhere)?.part;
}

export const conversationsOf = (data: ConversationPages | undefined): readonly Conversation[] =>
  data?.pages.flatMap((page) => page.conversations) ?? [];
