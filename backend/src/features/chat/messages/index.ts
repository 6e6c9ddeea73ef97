export { type ChosenSettings, settingsOfReply, tokensOf } from './chosen-settings.ts';
export { type CompleteSend, completeSend } from './completion.ts';
export { endElsewhere, stopElsewhere } from './elsewhere.ts';
export {
  estimateReplies,
  FILES_SHARE,
  maxPartTokens,
  tokensOfCalls,
} from './estimate.ts';
export {
  queueOfConversation,
  queueOfJob,
  replyJobId,
  replyOfJob,
} from './job-id.ts';
export { defineMessageModel, type MessageDocument, type MessageModel } from './model.ts';
export { openFound, openReply } from './open-reply.ts';
export { readMessages } from './pages.ts';
export type { ChosenPersona } from './persona-choice.ts';
export { presentStored, publishReply } from './publish.ts';
export {
  type MessageRecord,
  metadataFields,
  type ReplyRecord,
  type ReservedTokens,
  repliesIn,
  type Scope,
  storedPayer,
  type TokenUsage,
  toPayer,
  toReply,
} from './record.ts';
export { regenerateReply } from './regenerate.ts';
export { sendMessage } from './send.ts';
export { sendFirstMessage } from './send-first.ts';
export { sentMessageIds } from './sent-message-model.ts';
export { DEFAULT_SETTINGS, storedSettings } from './settings.ts';
export {
  cutParts,
  deltasFrom,
  joinDeltas,
  lengthOf,
  partsOf,
  type StoredText,
  splitWhole,
  storedText,
} from './text-parts.ts';
export { type MeasuredPlace, walkUp } from './tree.ts';
export type { MessageTree } from './tree-model.ts';
