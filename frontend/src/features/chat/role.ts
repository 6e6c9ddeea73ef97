import type { Conversation, ReaderRole } from '@stolas/backend/contract';
import { roleIn } from '../grants/index.ts';
import { useConversationPart } from './use-conversation.ts';

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

const useRole = (conversationId: string): ReaderRole =>
  useConversationPart(conversationId, roleIn) ?? 'owner';
