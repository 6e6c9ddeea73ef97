import { audienceOf } from '../../../access/index.ts';
import type { Conversation } from '../../../contract/conversations.ts';
import type { ChatFeature } from '../feature.ts';
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
  ...(record.workspaceId && { workspaceId: record.workspaceId }),
});

/** The users whose lists include the conversation. */
const listedFor = (record: ConversationRecord): string[] =>
  record.trial ? [] : audienceOf(record);

/** Publishes the conversation to the users who list it. Requests do not wait for it: a tab that misses the event catches up. */
export async function publishConversation(
  { bus }: Pick<ChatFeature, 'bus'>,
  record: ConversationRecord,
): Promise<void> {
  const conversation = presentConversation(record);
  await Promise.all(
    listedFor(record).map((userId) => bus.publish(userId, 'conversation:changed', conversation)),
  );
}
