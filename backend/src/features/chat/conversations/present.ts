import { audienceOf } from '../../../access/index.ts';
import type { Conversation } from '../../../contract/conversations.ts';
import type { ConversationRecord } from './model.ts';

export const presentConversation = (record: ConversationRecord): Conversation => ({
  id: record.id,
  title: record.title,
  createdAt: record.createdAt.toISOString(),
  updatedAt: record.updatedAt.toISOString(),
  activeLeafId: record.activeLeafId,
  personaId: record.personaId,
  ...(record.panel && { panel: record.panel }),
  depth: record.depth,
  memory: record.memory,
  temporary: record.temporary,
});

/** The users whose lists have the conversation. */
export const listedFor = (record: ConversationRecord): string[] =>
  record.trial ? [] : audienceOf(record);
