export { type ChosenSettings, createSettingsChoice } from './chosen-settings.ts';
export { type CompleteSend, createSendCompletion } from './completion.ts';
export {
  createReplyEstimates,
  estimateTokens,
  maxPartTokens,
  tokensOfCalls,
} from './estimate.ts';
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
export type { ChosenPersona, PersonaChoice } from './persona-choice.ts';
export { presentStored, publishReply } from './publish.ts';
export { messageRoutes } from './routes.ts';
export { createSendStore, sentMessageIds } from './send-model.ts';
export { createMessageService } from './service.ts';
export { DEFAULT_SETTINGS, storedSettings } from './settings.ts';
export { type MeasuredPlace, walkUp } from './tree.ts';
export { createMessageTree, type MessageTree } from './tree-model.ts';
