import type { Action, Actor } from '../../../access/index.ts';
import { AppError, notFound } from '../../../errors.ts';
import { type ConversationRecord, type Opening, openConversation } from '../conversations/index.ts';
import type { ReplyRecord, Scope } from './record.ts';
import type { MessageTree } from './tree-model.ts';

interface Opened<R> {
  reply: R;
  conversation: ConversationRecord;
}

/**
 * A reply with its conversation, for a user who may do this there. A reply of a deleted conversation answers as if it did not exist.
 * @throws AppError not_found, forbidden
 */
export async function openReply(
  chat: Opening & { messages: Pick<MessageTree, 'findReply'> },
  actor: Pick<Actor, 'userId'>,
  { id, action }: { id: string; action: Action },
): Promise<Opened<ReplyRecord>> {
  const reply = await chat.messages.findReply(id);
  return openFound(chat, actor, { reply, action });
}

/** As `openReply`, for a reply that was read by its id alone. */
export async function openFound<R extends Scope>(
  chat: Opening,
  actor: Pick<Actor, 'userId'>,
  { reply, action }: { reply: R | null; action: Action },
): Promise<Opened<R>> {
  if (!reply) throw notFound('reply');
  const opening = openConversation(chat, actor, { id: reply.conversationId, action });
  const conversation = await opening.catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'not_found' ? notFound('reply') : error;
  });
  return { reply, conversation };
}
