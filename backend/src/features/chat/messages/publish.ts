import { audienceOf } from '../../../access/index.ts';
import type { Reply } from '../../../contract/messages.ts';
import type { Bus } from '../../../realtime/bus.ts';
import { presentReply } from './present.ts';
import type { ReplyRecord } from './record.ts';
import type { MessageTree } from './tree-model.ts';

/** A reply for clients, with its siblings as they are stored now. */
export async function presentStored(
  { messages }: { messages: Pick<MessageTree, 'children'> },
  reply: ReplyRecord,
): Promise<Reply> {
  const siblings = await messages.children(reply, reply);
  const siblingIds = siblings.map(({ id }) => id);
  return presentReply(reply, siblingIds);
}

/**
 * Publishes a changed reply.
 * @returns the published reply
 */
export async function publishReply(
  stores: { messages: Pick<MessageTree, 'children'>; bus: Pick<Bus, 'publish'> },
  reply: ReplyRecord,
): Promise<Reply> {
  const presented = await presentStored(stores, reply);
  for (const userId of audienceOf(reply))
    await stores.bus.publish(userId, 'message:updated', presented);
  return presented;
}
