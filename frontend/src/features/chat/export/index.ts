export { exportConversation } from './export-conversation.ts';
export { printConversation } from './print-conversation.ts';
