export { ChatPage } from './chat-page.tsx';

/** Imports a conversation from a file. Loaded when it is used. */
export const importConversation = async (file: File) =>
  (await import('./export/import-conversation.ts')).importConversation(file);
