import { unavailable } from '../../../errors.ts';
import { publishConversation } from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import { FIRST_ATTEMPT } from './first-attempt.ts';
import type { MessageRecord, ReplyRecord } from './record.ts';
import { showReply } from './show-reply.ts';

/** The type of `completeSend` for the generation. */
export type CompleteSend = (reply: ReplyRecord, path?: readonly PathEntry[]) => Promise<boolean>;

type PathEntry = Pick<MessageRecord, 'id'>;

/**
 * Completes the send that created a reply, when a crash interrupted it after the reply was stored: stores the user
 * message and shows the reply to those whose branch it continues. Takes the reply with its `outbox`; without one there
 * is nothing to do. It is safe to run repeatedly, late, or in several processes at once. A send that was stored after
 * the erasure of its conversation is erased too: a worker that runs its reply finds it removed at the next checkpoint.
 * @param path stored messages, if known: with the user message among them, one read is enough for a send that nothing
 * interrupted
 * @throws AppError unavailable while the conversation passes to another owner
 * @returns whether the user message was missing: a path that was read meanwhile lacks it
 */
export async function completeSend(
  chat: ChatFeature,
  reply: ReplyRecord,
  path: readonly PathEntry[] = [],
): Promise<boolean> {
  const { conversationId, ownerId, outbox } = reply;
  if (!outbox) return false;
  const { conversations, sentMessages } = chat;
  const isStored = path.some(({ id }) => id === reply.parentId);
  const leaf = { id: conversationId, ownerId, activeLeafId: reply.id };
  if (isStored && (await conversations.exists(leaf))) return false;
  const [wasMissing, moved] = await Promise.all([
    sentMessages.storeMessage(reply),
    showReply(chat, { ...reply, outbox }),
  ]);
  if (!moved && !(await conversations.exists({ id: conversationId, ownerId }))) {
    // The sweep takes the move back, because this reply is active.
    if (await chat.handovers.isOpen({ id: conversationId, from: ownerId })) throw unavailable();
    await eraseSend(chat, reply);
    return false;
  }
  if (moved && !moved.isDeleted) await publishConversation(chat, moved);
  return wasMissing;
}

/** The reply is removed last, so that an interrupted erasure finds it and continues. */
async function eraseSend(
  { conversations, sentMessages, search, removeLogs, others: { files, usage } }: ChatFeature,
  { id, parentId, conversationId, ownerId, payer, attempt }: ReplyRecord,
): Promise<void> {
  const scope = { conversationId, ownerId };
  await sentMessages.remove(parentId, scope);
  // A conversation that another user owns by now uses the files of its earlier messages still.
  const [passedOn] = await conversations.findMany([conversationId]);
  await search.remove(scope);
  if (!passedOn) await files.releaseConversation(scope);
  await removeLogs([{ id, conversationId }]);
  await usage.release(payer, { replyId: id, attempt: Math.max(FIRST_ATTEMPT, attempt) });
  await sentMessages.remove(id, scope);
}
