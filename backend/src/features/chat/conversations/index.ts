export {
  deleteConversation,
  deleteExpired,
  ERASE_AFTER_MS,
  ERASE_EVERY_MS,
  eraseDeleted,
  restoreConversation,
  TEMPORARY_EVERY_MS,
  TEMPORARY_LIFETIME_MS,
} from './deletion.ts';
export { createConversationDeletionStore } from './deletion-model.ts';
export {
  createConversation,
  findConversation,
  insertConversation,
  listConversations,
  type NewConversation,
  updateConversation,
} from './edit.ts';
export { noPanel, noSuchPersona, replyInProgress } from './errors.ts';
export {
  createConversationImportStore,
  type ImportKey,
} from './import-model.ts';
export { type ConversationRecord, type ConversationStore, conversationIdOf } from './model.ts';
export { presentConversation, publishConversation } from './present.ts';
