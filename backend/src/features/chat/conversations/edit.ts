import { type Action, type Actor, needsRole } from '../../../access/index.ts';
import type { Conversation } from '../../../contract/conversations.ts';
import { notFound } from '../../../errors.ts';
import type { ChatFeature, Others } from '../feature.ts';
import { noPanel, replyInProgress } from './errors.ts';
import type {
  ConversationChanges,
  ConversationRecord,
  ConversationSettings,
  NewConversation,
} from './model.ts';
import { openConversation } from './open.ts';
import { presentConversation, presentTo, publishConversation } from './present.ts';
import { selectBranch } from './views.ts';

/** Attempts when another tab sends or selects a branch at the same time. */
const MAX_ATTEMPTS = 3;

/**
 * The same `clientConversationId` returns the same conversation.
 * @throws AppError not_found when it is deleted; not_found, forbidden or workspace_closed for a workspace that does not pay for the actor
 */
export async function insertConversation(
  { conversations, others, now }: Pick<ChatFeature, 'conversations' | 'others' | 'now'>,
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
  chat: Pick<ChatFeature, 'conversations' | 'views' | 'bus' | 'others' | 'log' | 'now'>,
  actor: Actor,
  fields: NewConversation,
): Promise<Conversation> {
  const created = await insertConversation(chat, actor, fields);
  void publishConversation(chat, created);
  return presentConversation(created);
}

/**
 * Renames a conversation, changes the settings of its next replies, or shows the actor another branch of it: `activeLeafId` is any
 * message of the conversation, and the newest leaf below it becomes the active one.
 * @throws AppError not_found, also for a persona; forbidden with the needed role; invalid_field for a panel of one; reply_in_progress
 *   for a branch while a reply runs that the actor has asked for
 */
export async function updateConversation(
  chat: ChatFeature,
  actor: Actor,
  { id, activeLeafId, ...changes }: ConversationChanges & { id: string },
): Promise<Conversation> {
  const hasChanges = Object.values(changes).some((value) => value !== undefined);
  // To choose what one sees oneself is to read.
  const action: Action = changes.title !== undefined ? 'manage' : hasChanges ? 'write' : 'read';
  let conversation = await openConversation(chat, actor, { id, action });
  const { ownerId } = conversation;
  // They are about the memories and the tokens of the owner.
  const isOwners = changes.memory !== undefined || changes.ownerPays !== undefined;
  if (isOwners && ownerId !== actor.userId) throw needsRole('owner');
  const panel = await panelOf(chat, actor, { conversation, changes });
  if (activeLeafId !== undefined) {
    const chosen = { conversation, messageId: activeLeafId };
    if (ownerId === actor.userId) conversation = await moveOwnLeaf(chat, chosen);
    else await selectBranch(chat, actor, chosen);
  }
  if (hasChanges) {
    const changed = await chat.conversations.change({ id, ownerId }, { ...changes, ...panel });
    if (!changed) throw notFound('conversation');
    conversation = changed;
  }
  void publishConversation(chat, conversation);
  return presentTo(chat, actor, conversation);
}

async function moveOwnLeaf(
  chat: ChatFeature,
  {
    conversation: { id, ownerId },
    messageId,
  }: { conversation: ConversationRecord; messageId: string },
): Promise<ConversationRecord> {
  const { conversations, messages } = chat;
  const scope = { conversationId: id, ownerId };
  for (let attempts = 1; ; attempts += 1) {
    const [conversation, message, active] = await Promise.all([
      conversations.find({ id, ownerId }),
      messages.find(messageId, scope),
      messages.activeReply(scope),
    ]);
    if (!conversation) throw notFound('conversation');
    if (!message) throw notFound('message');
    // The reply of another member may run on another branch.
    if (active?.authorId === ownerId || attempts > MAX_ATTEMPTS)
      throw await replyInProgress(chat, conversation);
    const leafId = await messages.newestLeafBelow(message);
    const { activeLeafId } = conversation;
    const moved = await conversations.moveLeaf({ id, ownerId, from: activeLeafId, to: leafId });
    if (moved) return moved;
  }
}

/**
 * A persona for replies in a conversation: of its owner, or a ready-made one. Somebody else than the owner chooses only the one that the
 * conversation has, and ready-made ones, which everybody has.
 */
export async function choosePersona(
  { personas }: Pick<Others, 'personas'>,
  { userId }: Pick<Actor, 'userId'>,
  {
    conversation,
    id,
  }: { conversation: Pick<ConversationRecord, 'ownerId' | 'personaId'>; id: string },
): ReturnType<Others['personas']['choose']> {
  const { ownerId, personaId } = conversation;
  const isOwn = ownerId === userId || id === personaId;
  if (!isOwn && !(await personas.choose(userId, id))) return null;
  return personas.choose(ownerId, id);
}

/** Checks the named persona and panel. A persona without a panel ends a panel. */
async function panelOf(
  { others }: Pick<ChatFeature, 'others'>,
  actor: Pick<Actor, 'userId'>,
  {
    conversation,
    changes: { personaId, panel },
  }: { conversation: ConversationRecord; changes: ConversationSettings },
): Promise<Pick<ConversationSettings, 'panel'>> {
  const id = personaId === undefined ? conversation.personaId : personaId;
  const persona =
    (personaId || panel) && id ? await choosePersona(others, actor, { conversation, id }) : null;
  // A draft is only valid in conversations of trials.
  if (personaId && (!persona || persona.isDraft)) throw notFound('persona');
  if (panel && (!persona?.members || persona.isDraft)) throw noPanel();
  return personaId === undefined ? { panel } : { panel: panel ?? null };
}
