export {
  defineMessageModel,
  type MessageDocument,
  type MessageModel,
  type ReplyRecord,
  type TokenUsage,
  toReply,
} from './model.ts';
export { presentMessage, presentReply, presentUserMessage } from './present.ts';
export { createTurnStore, type Turn, type TurnStore, turnIds } from './turn-model.ts';
