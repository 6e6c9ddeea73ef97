import type { Conversation, ReaderRole } from '@stolas/backend/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ConversationPages } from '../../realtime/index.ts';
import { roleIn } from '../grants/index.ts';
import { conversationsByIdQuery, conversationsQuery } from './api.ts';
import { conversationsOf, isNewChat } from './use-conversation.ts';

export { mayManage } from '../grants/index.ts';

export const isOwn = (conversation: Pick<Conversation, 'shared'>): boolean =>
  roleIn(conversation) === 'owner';

/** Whether the user may send, edit and regenerate in a conversation. */
export const useMayWrite = (conversationId: string): boolean =>
  useRole(conversationId) !== 'viewer';

/** Whether a conversation belongs to the user. */
export const useIsOwn = (conversationId: string): boolean => useRole(conversationId) === 'owner';

/** Whether the user may make public links to a conversation. */
export const useMayManage = (conversationId: string): boolean =>
  ['owner', 'manager'].includes(useRole(conversationId));

/** Every message asks: it is rendered again only when the role changes. */
function useRole(conversationId: string): ReaderRole {
  const select = (data: ConversationPages) => {
    const found = conversationsOf(data).find(({ id }) => id === conversationId);
    return found ? roleIn(found) : null;
  };
  const { data: onPage } = useInfiniteQuery({ ...conversationsQuery(), select });
  const isElsewhere = onPage === null && !isNewChat(conversationId);
  const byId = conversationsByIdQuery(isElsewhere ? [conversationId] : []);
  const { data: elsewhere } = useQuery({ ...byId, select });
  return onPage ?? elsewhere ?? 'owner';
}
