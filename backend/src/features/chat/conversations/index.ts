export {
  createConversationDeletion,
  createConversationErasing,
  ERASE_AFTER_MS,
  ERASE_EVERY_MS,
} from './deletion.ts';
export { createConversationDeletionStore } from './deletion-model.ts';
export { noPanel, replyInProgress } from './errors.ts';
export {
  type ConversationImportStore,
  createConversationImportStore,
  type ImportKey,
} from './import-model.ts';
export {
  type ConversationRecord,
  type ConversationStore,
  conversationIdOf,
  createConversationStore,
  defineConversationModel,
} from './model.ts';
export { listedFor, presentConversation } from './present.ts';
export { conversationRoutes } from './routes.ts';
export { createConversationService } from './service.ts';
export {
  createTemporaryErasing,
  TEMPORARY_EVERY_MS,
  TEMPORARY_LIFETIME_MS,
} from './temporary.ts';
