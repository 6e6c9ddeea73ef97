// The first load of the chat is one file, so its exports stand in one module.
export { connectEarly } from '../../realtime/index.ts';
export { ChatPage } from './chat-page.tsx';
export { preloadScreen } from './preload-screen.ts';
export { Shell } from './shell.tsx';
export { preloadReplies } from './thread/lazy.tsx';
export { openShortcutSheet } from './use-shortcuts.ts';

/** Imports a conversation from a file. Loaded when it is used. */
export const importConversation = async (file: File) =>
  (await import('./export/import-conversation.ts')).importConversation(file);

/** The page of an artifact that is opened in a separate tab. */
export const loadArtifactTab = async () =>
  (await import('./artifacts/artifact-tab.tsx')).ArtifactTab;
