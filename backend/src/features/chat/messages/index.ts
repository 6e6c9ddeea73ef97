export { type ChosenSettings, createSettingsChoice, type SettingsDeps } from './chosen-settings.ts';
export { type CompleteSend, createSendCompletion } from './completion.ts';
export {
  createReplyEstimates,
  estimateTokens,
  maxPartTokens,
  tokensOfCalls,
} from './estimate.ts';
export { defineMessageModel, type MessageDocument, type MessageModel } from './model.ts';
export { createMessagePages } from './pages.ts';
export type { ChosenPersona, PersonaChoice } from './persona-choice.ts';
export { presentReply } from './present.ts';
export { type MessageRecord, type ReplyRecord, type TokenUsage, toReply } from './record.ts';
export { messageRoutes } from './routes.ts';
export { createSentMessageStore, sentMessageIds } from './sent-message-model.ts';
export { createMessageService } from './service.ts';
export { DEFAULT_SETTINGS, storedSettings } from './settings.ts';
export { type MeasuredPlace, walkUp } from './tree.ts';
export { createMessageTree, type MessageTree } from './tree-model.ts';
