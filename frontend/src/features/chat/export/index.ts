export { exportConversation } from './export-conversation.ts';
export { importConversation } from './import-conversation.ts';
export { printConversation } from './print-conversation.ts';
