import type { PanelChoice } from '@stolas/backend/contract';
import { create } from 'zustand';

/** The settings of the next replies: the persona, null for none, and whether its members answer as a panel. */
export interface PersonaChoices {
  personaId: string | null;
  panel?: PanelChoice | null | undefined;
}

const NONE: PersonaChoices = { personaId: null };

/** Of the conversation that is created next. */
const useStore = create<PersonaChoices>(() => NONE);

export const usePersonaOfNewChat = (): PersonaChoices => useStore();

export const personaOfNewChat = (): PersonaChoices => useStore.getState();

/** Another persona ends a panel. */
export const setPersonaOfNewChat = (personaId: string | null): void =>
  useStore.setState({ personaId }, true);

export const setPanelOfNewChat = (panel: PanelChoice | null): void => useStore.setState({ panel });
