export {
  defineMessageModel,
  type ReplyRecord,
  type TokenUsage,
} from './model.ts';
export { presentMessage, presentReply, presentUserMessage } from './present.ts';
export { createReplyStore, type ReplyEnd, type ReplyStore } from './reply-model.ts';
export { createTurnStore, type Turn, type TurnStore, turnIds } from './turn-model.ts';
