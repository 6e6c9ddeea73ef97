import type { Conversation, Depth, MemoryMode } from '@stolas/backend/contract';
import { create } from 'zustand';
import { type PersonaChoices, usePersonaOfNewChat } from '../../personas/index.ts';
import { isNewChat, useConversation } from '../use-conversation.ts';

/** The choices for the conversation that the next message begins. */
export interface NewChoices {
  depth?: Depth;
  memory?: MemoryMode;
  temporary?: boolean;
  /** The workspace that pays; null: the user's own plan. */
  workspaceId?: string | null;
}

const useStore = create<{ choices: NewChoices }>(() => ({ choices: {} }));

export const useNewChoices = (): NewChoices => useStore(({ choices }) => choices);

export const chooseForNew = (chosen: NewChoices): void =>
  useStore.setState(({ choices }) => ({ choices: { ...choices, ...chosen } }));

/** The settings of a new conversation; the next one begins with the defaults. */
export function takeNewChoices(): NewChoices {
  const { choices } = useStore.getState();
  useStore.setState({ choices: {} });
  return choices;
}

export type Choices = Pick<Conversation, 'depth' | 'memory' | 'temporary'>;

/** The settings of the next reply. */
export function usePersonaChoices(conversationId: string): PersonaChoices {
  const ofNew = usePersonaOfNewChat();
  const conversation = useConversation(conversationId);
  return isNewChat(conversationId) ? ofNew : (conversation ?? { personaId: null });
}
