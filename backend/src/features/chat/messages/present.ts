import type { Message, Reply, ReplyPart, UserMessage } from '../../../contract/messages.ts';
import type { MessageRecord, ReplyRecord, UserMessageRecord } from './record.ts';

const shared = (
  { id, conversationId, parentId, content, createdAt, metadata }: MessageRecord,
  siblingIds: string[],
) => ({
  id,
  conversationId,
  parentId,
  siblingIds,
  content,
  createdAt: createdAt.toISOString(),
  ...(metadata && { metadata }),
});

export const presentUserMessage = (
  record: UserMessageRecord,
  siblingIds: string[],
): UserMessage => ({
  ...shared(record, siblingIds),
  role: 'user',
  ...(record.clientMessageId && { clientMessageId: record.clientMessageId }),
});

export const presentReply = (record: ReplyRecord, siblingIds: string[]): Reply => ({
  ...shared(record, siblingIds),
  role: 'assistant',
  status: record.status,
  attempt: record.attempt,
  parts: partsOf(record),
  ...(record.error && { error: record.error }),
  ...(record.ending && { ending: record.ending }),
  ...(record.feedback && { feedback: record.feedback }),
  ...(record.settings.persona && { persona: record.settings.persona }),
});

export const presentMessage = (record: MessageRecord, siblingIds: string[]): Message =>
  record.role === 'user'
    ? presentUserMessage(record, siblingIds)
    : presentReply(record, siblingIds);

/** Parts are stored only when a reply is more than its text. */
const partsOf = ({ parts, content }: ReplyRecord): ReplyPart[] => {
  if (parts) return parts;
  return content === '' ? [] : [{ type: 'text', text: content }];
};
