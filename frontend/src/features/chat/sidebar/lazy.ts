import { lazyPart } from '../../../ui/lazy-part.tsx';

/** Loads the code of the actions of a conversation. */
export const loadActions = () => import('./conversation-actions.ts');

export const ConversationMenu = lazyPart(async () => (await loadActions()).ConversationMenu, {
  missing: 'floating',
});
export const TitleEditor = lazyPart(async () => (await loadActions()).TitleEditor, {
  missing: 'floating',
});
