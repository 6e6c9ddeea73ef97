import type { Conversation, Depth, MemoryMode } from '@stolas/backend/contract';
import { create } from 'zustand';
import { type PersonaChoices, usePersonaOfNewChat } from '../../personas/index.ts';
import { isNewChat, useConversation } from '../use-conversation.ts';

/** What was chosen for the conversation that the next message begins. */
export interface NewChoices {
  depth?: Depth;
  memory?: MemoryMode;
  temporary?: boolean;
}

const useStore = create<{ choices: NewChoices }>(() => ({ choices: {} }));

export const useNewChoices = (): NewChoices => useStore(({ choices }) => choices);

export const chooseForNew = (chosen: NewChoices): void =>
  useStore.setState(({ choices }) => ({ choices: { ...choices, ...chosen } }));

/** What a new conversation is created with; the next one begins with the defaults. */
export function takeNewChoices(): NewChoices {
  const { choices } = useStore.getState();
  useStore.setState({ choices: {} });
  return choices;
}

export type Choices = Pick<Conversation, 'depth' | 'memory' | 'temporary'>;

/** How the next reply is written. */
export function usePersonaChoices(conversationId: string): PersonaChoices {
  const ofNew = usePersonaOfNewChat();
  const conversation = useConversation(conversationId);
  return isNewChat(conversationId) ? ofNew : (conversation ?? { personaId: null });
}
