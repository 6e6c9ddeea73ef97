import { idIn, roleIn } from '../../../access/index.ts';
import type { ReaderRole } from '../../../contract/access.ts';
import type { ServerEvents } from '../../../contract/realtime.ts';
import type { ChatFeature } from '../feature.ts';
import type { ConversationRecord } from './model.ts';
import type { AsksWorkspaces } from './open.ts';

type Shared = Pick<ConversationRecord, 'ownerId' | 'grants'>;
export type Publishing = Pick<ChatFeature, 'bus' | 'log'> & AsksWorkspaces;

/** The users whose tabs receive the events of a conversation, each with the role in it; the owner first. */
export async function audienceOf(
  { others: { workspaces } }: AsksWorkspaces,
  { ownerId, grants }: Shared,
): Promise<Map<string, ReaderRole>> {
  const idsOf = (kind: 'user' | 'workspace') => grants.flatMap((grant) => idIn(kind, grant) ?? []);
  const workspaceIds = idsOf('workspace');
  const places = workspaceIds.length > 0 ? await workspaces.places({ workspaceIds }) : [];
  const audience = new Map<string, ReaderRole>([[ownerId, 'owner']]);
  for (const userId of [...idsOf('user'), ...places.map((place) => place.userId)]) {
    const reader = { userId, workspaces: places.filter((place) => place.userId === userId) };
    const role = roleIn(reader, { ownerId, grants });
    if (role) audience.set(userId, role);
  }
  return audience;
}

type Event = Exclude<keyof ServerEvents, 'session:ended'>;
type Payload<E extends Event> = Parameters<ServerEvents[E]>[0];
interface Published<E extends Event> {
  event: E;
  payloadFor: (role: ReaderRole, userId: string) => Payload<E>;
}

/** Publishes an event to everybody who may read the conversation, to each as the role may see it; the owner's does not wait for a read. */
export async function publishToAudience<E extends Event>(
  chat: Publishing,
  conversation: Shared,
  { event, payloadFor }: Published<E>,
): Promise<void> {
  const { ownerId, grants } = conversation;
  const toOwner = chat.bus.publish(ownerId, event, payloadFor('owner', ownerId));
  if (grants.length > 0)
    await publishToOthers(chat, conversation, { event, payloadFor }).catch((error: unknown) =>
      chat.log.warn({ err: error }, 'event not published to all readers'),
    );
  await toOwner;
}

/** As `publishToAudience`, without the owner. */
export async function publishToOthers<E extends Event>(
  chat: Publishing,
  conversation: Shared,
  { event, payloadFor }: Published<E>,
): Promise<void> {
  const audience = await audienceOf(chat, conversation);
  audience.delete(conversation.ownerId);
  await Promise.all(
    [...audience].map(([userId, role]) =>
      chat.bus.publish(userId, event, payloadFor(role, userId)),
    ),
  );
}
