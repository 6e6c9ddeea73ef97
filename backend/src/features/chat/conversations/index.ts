export { type AsksWorkspaces, readerOf } from '../../record-grants.ts';
export { type Publishing, publishToAudience, publishToOthers } from './audience.ts';
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
export {
  choosePersona,
  createConversation,
  insertConversation,
  updateConversation,
} from './edit.ts';
export { noPanel, noSuchPersona, replyInProgress } from './errors.ts';
export {
  findUnreadable,
  publishAccess,
  publishLostAccess,
  replaceGrants,
} from './grants.ts';
export {
  beginHandover,
  completeHandovers,
  HANDOVER_EVERY_MS,
  handOver,
} from './handover.ts';
export type { ImportKey } from './import-model.ts';
export { listConversations, readShared } from './list.ts';
export { mentionedIn, readPeople } from './mentions.ts';
export {
  type ConversationRecord,
  type ConversationStore,
  conversationIdOf,
  type NewConversation,
} from './model.ts';
export { type Opening, openConversation, readableAmong } from './open.ts';
export { presentConversation, publishConversation } from './present.ts';
export { markRead, type SeenConversation, seenConversation } from './views.ts';
