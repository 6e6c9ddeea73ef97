export { createChatExport } from './all.ts';
export { createConversationExport } from './export.ts';
export { createImportedMessageStore } from './message-model.ts';
export { exportRoutes, importRoutes } from './routes.ts';
