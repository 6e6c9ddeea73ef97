import type { Person, ReaderRole } from '../../../contract/access.ts';
import type { Conversation } from '../../../contract/conversations.ts';
import type { AsksWorkspaces } from '../../record-grants.ts';
import { type Publishing, publishToAudience } from './audience.ts';
import type { ConversationRecord } from './model.ts';

/** A conversation for its owner. */
export const presentConversation = (
  record: ConversationRecord,
  shared?: Conversation['shared'],
): Conversation => ({
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
  ...(record.ownerPays && { ownerPays: record.ownerPays }),
  ...(shared && { shared }),
});

const isShared = ({ grants }: ConversationRecord): boolean => grants.length > 0;

/** Conversations as a reader with these roles sees them: a shared one names its owner. */
export async function presentFor(
  { others: { workspaces } }: AsksWorkspaces,
  records: readonly ConversationRecord[],
  roleOf: (record: ConversationRecord) => ReaderRole | null,
): Promise<Conversation[]> {
  const userIds = [...new Set(records.filter(isShared).map(({ ownerId }) => ownerId))];
  const nameOf = userIds.length > 0 ? await workspaces.names({ userIds }) : () => '';
  return records.flatMap((record) => {
    const role = roleOf(record);
    if (!role) return [];
    const owner = { id: record.ownerId, name: nameOf(record.ownerId) };
    return [presentConversation(record, isShared(record) ? { role, owner } : undefined)];
  });
}

/** Publishes the conversation to the users who list it. Requests do not wait for it: a tab that misses the event catches up. */
export async function publishConversation(
  chat: Publishing,
  record: ConversationRecord,
): Promise<void> {
  if (record.trial) return;
  try {
    const shared = isShared(record) ? await ownerOf(chat, record) : undefined;
    await publishToAudience(chat, record, {
      event: 'conversation:changed',
      payloadFor: (role) => presentConversation(record, shared && { role, owner: shared }),
    });
  } catch (error) {
    chat.log.warn({ err: error, conversationId: record.id }, 'conversation not published');
  }
}

async function ownerOf(
  { others: { workspaces } }: AsksWorkspaces,
  { ownerId: id }: ConversationRecord,
): Promise<Person> {
  return { id, name: (await workspaces.names({ userIds: [id] }))(id) };
}
