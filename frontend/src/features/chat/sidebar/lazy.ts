import { lazy } from 'react';

/** Loads the code of what can be done with a conversation. */
export const loadActions = () => import('./conversation-actions.ts');

export const ConversationMenu = lazy(async () => ({
  default: (await loadActions()).ConversationMenu,
}));
export const TitleEditor = lazy(async () => ({ default: (await loadActions()).TitleEditor }));
