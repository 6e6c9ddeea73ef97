import { lazy } from 'react';

/** Loads the code of the actions of a conversation. */
export const loadActions = () => import('./conversation-actions.ts');

export const ConversationMenu = lazy(async () => ({
  default: (await loadActions()).ConversationMenu,
}));
export const TitleEditor = lazy(async () => ({ default: (await loadActions()).TitleEditor }));
