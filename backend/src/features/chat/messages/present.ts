import type { Message, Reply, UserMessage } from '../../../contract/messages.ts';
import type { MessageRecord, ReplyRecord, UserMessageRecord } from './model.ts';

const shared = ({ id, conversationId, content, createdAt, metadata }: MessageRecord) => ({
  id,
  conversationId,
  content,
  createdAt: createdAt.toISOString(),
  ...(metadata && { metadata }),
});

export const presentUserMessage = (record: UserMessageRecord): UserMessage => ({
  ...shared(record),
  role: 'user',
  ...(record.clientMessageId && { clientMessageId: record.clientMessageId }),
});

export const presentReply = (record: ReplyRecord): Reply => ({
  ...shared(record),
  role: 'assistant',
  parentId: record.parentId,
  status: record.status,
  attempt: record.attempt,
  ...(record.error && { error: record.error }),
});

export const presentMessage = (record: MessageRecord): Message =>
  record.role === 'user' ? presentUserMessage(record) : presentReply(record);
