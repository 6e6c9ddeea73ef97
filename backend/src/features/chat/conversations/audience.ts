import type { ServerEvents } from '../../../contract/realtime.ts';
import type { ReaderRole } from '../../../contract/roles.ts';
import { type AsksWorkspaces, audienceOf } from '../../record-grants.ts';
import type { ChatFeature } from '../feature.ts';
import type { ConversationRecord } from './model.ts';

type Shared = Pick<ConversationRecord, 'ownerId' | 'grants' | 'givenTo'>;
export type Publishing = Pick<ChatFeature, 'bus' | 'log'> & AsksWorkspaces;

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
  const { grants } = conversation;
  const ownerId = conversation.givenTo ?? conversation.ownerId;
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
  audience.delete(conversation.givenTo ?? conversation.ownerId);
  await Promise.all(
    [...audience].map(([userId, role]) =>
      chat.bus.publish(userId, event, payloadFor(role, userId)),
    ),
  );
}
