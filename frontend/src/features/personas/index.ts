import { lazyPart } from '../../ui/lazy-part.tsx';

// What the first load of the chat needs is small; everything else is loaded when it is first shown.

export { depthOfPersona, usePersona, usePersonaName, usePersonas } from './api.ts';
export {
  type PersonaChoices,
  personaOfNewChat,
  setPanelOfNewChat,
  setPersonaOfNewChat,
  usePersonaOfNewChat,
} from './new-chat.ts';
export { PanelHeading, PersonaName } from './panel-heading.tsx';
export { PersonaButton } from './persona-button.tsx';

/** The panel of a starter prompt. */
export const discussion = () => import('./discussion.ts');

/** The greeting of a persona in a new conversation. */
export const PersonaGreeting = lazyPart(
  async () => (await import('./persona-greeting.tsx')).PersonaGreeting,
);
