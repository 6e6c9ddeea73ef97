import { type Actor, requireAccess } from '../../../access/index.ts';
import { CONVERSATION_PAGE_SIZE, type Conversation } from '../../../contract/conversations.ts';
import type { MemoryMode } from '../../../contract/reply-settings.ts';
import { notFound } from '../../../errors.ts';
import type { ChatFeature, Others } from '../feature.ts';
import { noPanel, replyInProgress } from './errors.ts';
import type { ConversationFilter, ConversationRecord, ConversationSettings } from './model.ts';
import { presentConversation, publishConversation } from './present.ts';

export interface NewConversation {
  title: string;
  /** UUID of the client; the same UUID names the same conversation. */
  clientConversationId?: string | undefined;
  temporary?: boolean | undefined;
  trial?: boolean | undefined;
  memory?: MemoryMode | undefined;
  /** The workspace of the actor that pays for it. */
  workspaceId?: string | undefined;
}

interface Changes extends ConversationSettings {
  title?: string | undefined;
  activeLeafId?: string | undefined;
}

/** Attempts when another tab sends or selects a branch at the same time. */
const MAX_ATTEMPTS = 3;

/** @throws AppError not_found, also for a conversation of another user */
export const findConversation = async (
  { conversations }: Pick<ChatFeature, 'conversations'>,
  actor: Pick<Actor, 'userId'>,
  id: string,
): Promise<ConversationRecord> =>
  requireAccess(actor, await conversations.find({ id, ownerId: actor.userId }), 'conversation');

/** A page of conversations, last updated first. */
export async function listConversations(
  { conversations }: Pick<ChatFeature, 'conversations'>,
  actor: Actor,
  filter: ConversationFilter,
): Promise<Conversation[]> {
  const page = { ...filter, limit: CONVERSATION_PAGE_SIZE };
  return (await conversations.page(actor.userId, page)).map(presentConversation);
}

type Creating = Pick<ChatFeature, 'conversations' | 'others' | 'now'>;

/**
 * The same `clientConversationId` returns the same conversation.
 * @throws AppError not_found when it is deleted; not_found, forbidden or workspace_closed for a workspace that does not pay for the actor
 */
export async function insertConversation(
  { conversations, others, now }: Creating,
  actor: Actor,
  fields: NewConversation,
): Promise<ConversationRecord> {
  if (fields.workspaceId) await others.workspaces.requirePool(actor, fields.workspaceId);
  const created = await conversations.insert({ ...fields, ownerId: actor.userId, now: now() });
  if (created.isDeleted) throw notFound('conversation');
  return created;
}

/** As `insertConversation`, and publishes the conversation. */
export async function createConversation(
  chat: Creating & Pick<ChatFeature, 'bus'>,
  actor: Actor,
  fields: NewConversation,
): Promise<Conversation> {
  const created = await insertConversation(chat, actor, fields);
  void publishConversation(chat, created);
  return presentConversation(created);
}

/**
 * Renames a conversation, changes the settings of its next replies, or shows another branch of it: `activeLeafId` is any
 * message of the conversation, and the newest leaf below it becomes the active one.
 * @throws AppError not_found, also for a persona; invalid_field for a panel of one; reply_in_progress for a branch while a
 *   reply runs
 */
export async function updateConversation(
  chat: ChatFeature,
  actor: Actor,
  { id, activeLeafId, ...changes }: Changes & { id: string },
): Promise<Conversation> {
  let conversation = await findConversation(chat, actor, id);
  const { ownerId } = conversation;
  const panel = await panelOf(chat, conversation, changes);
  if (activeLeafId !== undefined)
    conversation = await selectBranch(chat, actor, { id, messageId: activeLeafId });
  if (Object.values(changes).some((value) => value !== undefined)) {
    const changed = await chat.conversations.change({ id, ownerId }, { ...changes, ...panel });
    if (!changed) throw notFound('conversation');
    conversation = changed;
  }
  void publishConversation(chat, conversation);
  return presentConversation(conversation);
}

async function selectBranch(
  chat: ChatFeature,
  actor: Actor,
  { id, messageId }: { id: string; messageId: string },
): Promise<ConversationRecord> {
  const { conversations, messages } = chat;
  const scope = { conversationId: id, ownerId: actor.userId };
  for (let attempts = 1; ; attempts += 1) {
    const [conversation, message, activeReplyId] = await Promise.all([
      findConversation(chat, actor, id),
      messages.find(messageId, scope),
      messages.activeReplyId(scope),
    ]);
    if (!message) throw notFound('message');
    if (activeReplyId || attempts > MAX_ATTEMPTS) throw replyInProgress();
    const leafId = await messages.newestLeafBelow(message);
    const { ownerId, activeLeafId } = conversation;
    const moved = await conversations.moveLeaf({ id, ownerId, from: activeLeafId, to: leafId });
    if (moved) return moved;
  }
}

/** Checks the named persona and panel. A persona without a panel ends a panel. */
async function panelOf(
  { others }: Pick<ChatFeature, 'others'>,
  { ownerId, personaId: present }: ConversationRecord,
  { personaId, panel }: Pick<Changes, 'personaId' | 'panel'>,
): Promise<Pick<Changes, 'panel'>> {
  const id = personaId === undefined ? present : personaId;
  const persona = (personaId || panel) && id ? await findPersona(others, ownerId, id) : null;
  if (personaId && !persona) throw notFound('persona');
  if (panel && !persona?.members) throw noPanel();
  return personaId === undefined ? { panel } : { panel: panel ?? null };
}

/** A draft is only valid in conversations of trials. */
async function findPersona({ personas }: Others, ownerId: string, id: string) {
  const persona = await personas.choose(ownerId, id);
  return persona?.isDraft ? null : persona;
}
