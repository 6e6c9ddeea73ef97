import type { Conversation } from '../../../contract/conversations.ts';
import type { ConversationRecord } from './model.ts';

export const presentConversation = (record: ConversationRecord): Conversation => ({
  id: record.id,
  title: record.title,
  createdAt: record.createdAt.toISOString(),
  updatedAt: record.updatedAt.toISOString(),
  activeLeafId: record.activeLeafId,
});
