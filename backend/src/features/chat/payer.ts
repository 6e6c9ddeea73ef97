import type { Actor } from '../../access/index.ts';
import type { ConversationPayer } from '../../contract/conversations.ts';
import { unavailable } from '../../errors.ts';
import { ownPayer, type Payer, paysForOthers } from '../payer.ts';
import type { ReadAhead } from '../usage/index.ts';
import { type ConversationRecord, openConversation } from './conversations/index.ts';
import type { ChatFeature } from './feature.ts';

interface Paying {
  others: {
    usage: Pick<ChatFeature['others']['usage'], 'canPayFor' | 'readAhead'>;
    workspaces: ChatFeature['others']['workspaces'];
  };
}

export type Paid = Pick<
  ConversationRecord,
  'id' | 'ownerId' | 'workspaceId' | 'ownerPays' | 'givenTo'
>;

/**
 * Decides who pays for what the actor asks in a conversation: its owner who offers it, as long as that is not used up, else the workspace of
 * the conversation for its members, else the actor.
 * @throws AppError workspace_closed; unavailable while the conversation passes to another owner
 */
export async function payerOf(
  { others: { usage, workspaces } }: Paying,
  { userId }: Pick<Actor, 'userId'>,
  { id: conversationId, ownerId: paidBy, workspaceId, ownerPays: cap, givenTo }: Paid,
): Promise<Payer> {
  // No reply begins until the next owner has it.
  if (givenTo) throw unavailable();
  if (cap !== undefined && paidBy !== userId) {
    const offer = { ownerId: paidBy, conversationId };
    if (await usage.canPayFor({ ...offer, cap })) return { ...offer, userId };
  }
  const ownerId = workspaceId && (await workspaces.poolFor({ workspaceId, userId }));
  return ownerId ? { ownerId, userId, workspaceId } : ownPayer(userId);
}

/** Who pays for a send, and the reads of its reservation. Those of the actor's own plan do not wait for the conversation. */
export async function readPayer(
  chat: Paying,
  actor: Actor,
  accessed: Promise<ConversationRecord>,
): Promise<{ payer: Payer; ahead: ReadAhead }> {
  const { usage } = chat.others;
  const reading = usage.readAhead(ownPayer(actor.userId), actor);
  reading.catch(() => undefined);
  const payer = await payerOf(chat, actor, await accessed);
  const ahead = paysForOthers(payer) ? await usage.readAhead(payer, actor) : await reading;
  return { payer, ahead };
}

/** Who pays for the actor's next message in a conversation. @throws AppError not_found, forbidden, workspace_closed */
export async function readWhoPays(
  chat: ChatFeature,
  actor: Actor,
  id: string,
): Promise<ConversationPayer> {
  const conversation = await openConversation(chat, actor, { id, action: 'write' });
  const payer = await payerOf(chat, actor, conversation);
  if (payer.conversationId) return { by: 'owner' };
  return { by: payer.workspaceId ? 'workspace' : 'self' };
}
