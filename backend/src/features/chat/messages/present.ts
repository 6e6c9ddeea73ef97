import type { Message, Reply, UserMessage } from '../../../contract/messages.ts';
import type { MessageRecord, ReplyRecord, UserMessageRecord } from './model.ts';

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

export const presentUserMessage = (record: UserMessageRecord, siblingIds: string[] = []): UserMessage => ({
  ...shared(record, siblingIds),
  role: 'user',
  ...(record.clientMessageId && { clientMessageId: record.clientMessageId }),
});

export const presentReply = (record: ReplyRecord, siblingIds: string[] = []): Reply => ({
  ...shared(record, siblingIds),
  role: 'assistant',
  parts: record.parts ?? (record.content ? [{ type: 'text', text: record.content }] : []),
  status: record.status,
  attempt: record.attempt,
  ...(record.error && { error: record.error }),
});

export const presentMessage = (record: MessageRecord): Message =>
  record.role === 'user' ? presentUserMessage(record) : presentReply(record);
