// What the first load of the chat needs is one file: a module beside it would be another.
export { connectEarly } from '../../realtime/index.ts';
export { ChatPage } from './chat-page.tsx';
export { Shell } from './shell.tsx';
export { preloadReplies } from './thread/lazy.tsx';
export { openShortcutSheet } from './use-shortcuts.ts';

/** Imports a conversation from a file. Loaded when it is used. */
export const importConversation = async (file: File) =>
  (await import('./export/import-conversation.ts')).importConversation(file);

/** The page of an artifact in a tab of its own. */
export const loadArtifactTab = async () =>
  (await import('./artifacts/artifact-tab.tsx')).ArtifactTab;
