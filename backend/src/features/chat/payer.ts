import type { Actor } from '../../access/index.ts';
import { unavailable } from '../../errors.ts';
import { ownPayer, type Payer } from '../payer.ts';
import type { ReadAhead } from '../usage/index.ts';
import type { ConversationRecord } from './conversations/index.ts';
import type { ChatFeature } from './feature.ts';

type Paying = { others: Pick<ChatFeature['others'], 'usage' | 'workspaces'> };

/**
 * Decides who pays for what the actor asks in a conversation: the workspace of the conversation for its members, else the actor.
 * @throws AppError workspace_closed; unavailable while the conversation passes to another owner
 */
export async function payerOf(
  { others: { workspaces } }: { others: Pick<ChatFeature['others'], 'workspaces'> },
  { userId }: Pick<Actor, 'userId'>,
  { workspaceId, givenTo }: Pick<ConversationRecord, 'workspaceId' | 'givenTo'>,
): Promise<Payer> {
  // No reply begins until the next owner has it.
  if (givenTo) throw unavailable();
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
  const ahead = payer.workspaceId ? await usage.readAhead(payer, actor) : await reading;
  return { payer, ahead };
}
