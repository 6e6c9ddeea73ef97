import type { Conversation } from '@stolas/backend/contract';
import { useConversation } from './use-conversation.ts';

type Shown = Pick<Conversation, 'shared'> | undefined;

/** Whether the user may send, edit and regenerate. */
export const mayWrite = (conversation: Shown): boolean => conversation?.shared?.role !== 'viewer';

/** Whether the user may share, rename and delete. */
export const mayManage = (conversation: Shown): boolean => {
  const { role = 'owner' } = conversation?.shared ?? {};
  return role === 'owner' || role === 'manager';
};

/** Whether the conversation belongs to the user. */
export const isOwn = (conversation: Shown): boolean =>
  (conversation?.shared?.role ?? 'owner') === 'owner';

export const useMayWrite = (conversationId: string): boolean =>
  mayWrite(useConversation(conversationId));
