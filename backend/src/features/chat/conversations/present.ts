import { type Actor, roleIn } from '../../../access/index.ts';
import type { Person } from '../../../contract/access.ts';
import type { Conversation } from '../../../contract/conversations.ts';
import type { ReaderRole } from '../../../contract/roles.ts';
import { notFound } from '../../../errors.ts';
import { type AsksWorkspaces, ownersOf, readerOf } from '../../record-grants.ts';
import type { ChatFeature } from '../feature.ts';
import { type Publishing, publishToAudience } from './audience.ts';
import type { ConversationRecord } from './model.ts';
import type { ViewRecord } from './view-model.ts';

/** What is needed to present shared conversations. */
type Presenting = AsksWorkspaces & Pick<ChatFeature, 'views'>;

/** How a reader has a shared conversation. */
interface SharedPlace {
  role: ReaderRole;
  owner: Person;
  view: ViewRecord | undefined;
}

/** A conversation for its owner, or one that is shared for a reader. */
export const presentConversation = (
  record: ConversationRecord,
  place?: SharedPlace,
): Conversation => ({
  id: record.id,
  title: record.title,
  createdAt: record.createdAt.toISOString(),
  updatedAt: record.updatedAt.toISOString(),
  activeLeafId: leafFor(record, place),
  personaId: record.personaId,
  ...(record.panel && { panel: record.panel }),
  depth: record.depth,
  memory: record.memory,
  temporary: record.temporary,
  ...(record.workspaceId && { workspaceId: record.workspaceId }),
  ...(record.ownerPays && { ownerPays: record.ownerPays }),
  ...(place && { shared: presentPlace(record, place) }),
});

/** The owner's branch stands in the conversation; a former view of the owner, who got it from somebody else, does not count. */
const leafFor = ({ activeLeafId }: ConversationRecord, place?: SharedPlace): string | null =>
  place && place.role !== 'owner' ? (place.view?.leafId ?? activeLeafId) : activeLeafId;

function presentPlace(
  { updatedAt }: ConversationRecord,
  { role, owner, view }: SharedPlace,
): NonNullable<Conversation['shared']> {
  const { readAt, mentionedAt } = view ?? {};
  // What somebody has just shared is unread; the owner knows what there was when it was shared.
  const isUnread = readAt ? updatedAt > readAt : role !== 'owner';
  const isMentioned = mentionedAt && (!readAt || mentionedAt > readAt);
  return {
    role,
    owner,
    ...(isUnread && { unread: true }),
    ...(isMentioned && { mentioned: true }),
  };
}

const isShared = ({ grants }: ConversationRecord): boolean => grants.length > 0;

/** Conversations as a reader with these roles sees them: a shared one names its owner. */
export async function presentFor(
  { others, views }: Presenting,
  userId: string,
  {
    records,
    roleOf,
  }: {
    records: readonly ConversationRecord[];
    roleOf: (record: ConversationRecord) => ReaderRole | null;
  },
): Promise<Conversation[]> {
  const ids = records.filter(isShared).map(({ id }) => id);
  const [ownerOf, own] = await Promise.all([
    ownersOf({ others }, records),
    ids.length > 0 ? views.of(userId, ids) : [],
  ]);
  return records.flatMap((record) => {
    const role = roleOf(record);
    if (!role) return [];
    const owner = ownerOf(record);
    if (!owner) return [presentConversation(record)];
    const view = own.find(({ conversationId }) => conversationId === record.id);
    return [presentConversation(record, { role, owner, view })];
  });
}

/** The conversation for the actor, who may read it. */
export async function presentTo(
  chat: Presenting,
  { userId }: Pick<Actor, 'userId'>,
  conversation: ConversationRecord,
): Promise<Conversation> {
  const isOwn = conversation.ownerId === userId;
  const reader = isOwn ? { userId } : await readerOf(chat.others, userId);
  const [presented] = await presentFor(chat, userId, {
    records: [conversation],
    roleOf: (record) => roleIn(reader, record),
  });
  // Access may have ended meanwhile.
  if (!presented) throw notFound('conversation');
  return presented;
}

/** Publishes the conversation to the users who list it. Requests do not wait for it: a tab that misses the event catches up. */
export async function publishConversation(
  chat: Publishing & Pick<ChatFeature, 'views'>,
  record: ConversationRecord,
): Promise<void> {
  if (record.trial) return;
  try {
    const [ownerOf, views] = await Promise.all([
      ownersOf(chat, [record]),
      isShared(record) ? chat.views.inConversation(record.id) : [],
    ]);
    const owner = ownerOf(record);
    await publishToAudience(chat, record, {
      event: 'conversation:changed',
      payloadFor: (role, userId) => {
        const view = views.find((one) => one.userId === userId);
        return presentConversation(record, owner && { role, owner, view });
      },
    });
  } catch (error) {
    chat.log.warn({ err: error, conversationId: record.id }, 'conversation not published');
  }
}
