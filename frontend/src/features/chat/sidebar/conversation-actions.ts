// One chunk, loaded when the first menu is opened, the first title edited or the first conversation deleted.
export { ConversationMenu } from './conversation-menu.tsx';
export { deleteConversation } from './delete-conversation.ts';
export { TitleEditor } from './title-editor.tsx';
