import { openShortcutSheet } from './use-shortcuts.ts';

// What the first load of the chat needs is one file: a module beside it would be another.
export { connectEarly } from '../../realtime/index.ts';
export { ChatPage } from './chat-page.tsx';

/** Imports a conversation from a file. Loaded when it is used. */
export const importConversation = async (file: File) =>
  (await import('./export/import-conversation.ts')).importConversation(file);

/** Opens the list of keyboard shortcuts. @returns what shows it on a page other than the chat */
export async function openShortcutList() {
  const { ShortcutSheetElsewhere } = await import('./shortcut-sheet.tsx');
  openShortcutSheet();
  return ShortcutSheetElsewhere;
}
