export { estimateTokens, type TokenLimits } from './estimate.ts';
export {
  defineMessageModel,
  type MessageDocument,
  type MessageModel,
  type MessageRecord,
  type ReplyRecord,
  type TokenUsage,
  toReply,
} from './model.ts';
export { presentMessage, presentReply, presentUserMessage } from './present.ts';
export { createTurnStore, type Turn, type TurnStore, turnIds } from './turn-model.ts';
