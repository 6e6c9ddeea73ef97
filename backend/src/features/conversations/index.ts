export { createConversationStore, defineConversationModel } from './model.ts';
export { conversationRoutes } from './routes.ts';
export { type ConversationService, createConversationService } from './service.ts';
