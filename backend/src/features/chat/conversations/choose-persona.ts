import type { Actor } from '../../../access/index.ts';
import type { Others } from '../feature.ts';
import type { ConversationRecord } from './model.ts';

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
