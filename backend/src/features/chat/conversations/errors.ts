import { AppError, invalidField } from '../../../errors.ts';
import type { AsksWorkspaces } from '../../record-grants.ts';
import type { ChatFeature } from '../feature.ts';
import type { ConversationRecord } from './model.ts';

/** One reply at a time per conversation. In a shared one, `startedBy` is who asked for the reply that runs. */
export async function replyInProgress(
  { messages, others }: AsksWorkspaces & { messages: Pick<ChatFeature['messages'], 'activeReply'> },
  { id: conversationId, ownerId, grants }: ConversationRecord,
): Promise<AppError> {
  const sentence = 'Wait for the reply that is being written, or stop it.';
  const active = grants.length > 0 ? await messages.activeReply({ conversationId, ownerId }) : null;
  if (!active) return new AppError('reply_in_progress', sentence);
  const id = active.authorId;
  const name = (await others.workspaces.names({ userIds: [id] }))(id);
  return new AppError('reply_in_progress', sentence, { details: { startedBy: { id, name } } });
}

/** A panel needs a fusion with at least two remaining members. */
export const noPanel = () =>
  invalidField(
    'panel',
    'Only a fusion can answer as a panel. Choose one whose personas still exist, or ask for one answer.',
  );

export const noSuchPersona = () =>
  new AppError(
    'not_found',
    'This persona was deleted, or is no longer shared with you. Choose another one, then send again.',
    { details: { field: 'personaId' } },
  );
