export { createConversationStore, defineConversationModel } from './model.ts';
export { conversationRoutes } from './routes.ts';
export { createConversationService } from './service.ts';
