export { type CompleteSend, createSendCompletion } from './completion.ts';
export { estimateTokens, type TokenLimits } from './estimate.ts';
export { formerRepliesMigration } from './former-replies.ts';
export { messageTreeMigration } from './migrations.ts';
export {
  defineMessageModel,
  type MessageDocument,
  type MessageModel,
  type MessageRecord,
  type ReplyRecord,
  type TokenUsage,
  toReply,
} from './model.ts';
export { createMessagePages } from './pages.ts';
export { presentReply } from './present.ts';
export { messageRoutes } from './routes.ts';
export { createSendStore, sentMessageIds } from './send-model.ts';
export { createMessageService } from './service.ts';
export { walkUp } from './tree.ts';
export { createMessageTree, type MessageTree } from './tree-model.ts';
