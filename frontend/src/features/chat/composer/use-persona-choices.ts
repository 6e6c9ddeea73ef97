import { type PersonaChoices, usePersonaOfNewChat } from '../../personas/index.ts';
import { NEW } from '../selection.ts';
import { useConversation } from '../sidebar/use-conversations.ts';
import { isUncreated } from './unsent.ts';

/** Whether the next message creates the conversation. */
export const isNewChat = (conversationId: string): boolean =>
  conversationId === NEW || isUncreated(conversationId);

/** How the next reply is written. */
export function usePersonaChoices(conversationId: string): PersonaChoices {
  const ofNew = usePersonaOfNewChat();
  const conversation = useConversation(conversationId);
  return isNewChat(conversationId) ? ofNew : (conversation ?? { personaId: null });
}
