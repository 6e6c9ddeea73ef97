import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import type { Actor } from '../../../access/index.ts';
import type {
  CreateConversationBody,
  CreatedConversation,
} from '../../../contract/conversations.ts';
import { notFound } from '../../../errors.ts';
import type { SummarySource } from '../../context.ts';
import {
  type ConversationRecord,
  conversationIdOf,
  insertConversation,
  type NewConversation,
  presentConversation,
  publishConversation,
} from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import { lengthDownTo } from './parent.ts';
import { sendTo } from './send.ts';

interface FirstSend extends NewConversation {
  message: NonNullable<z.output<typeof CreateConversationBody>['message']>;
  /** Rejects when the user has exceeded the rate limit. */
  admitted?: Promise<void>;
}

/**
 * Creates a conversation and accepts its first message. The conversation is stored while the data of the send is read, and before the
 * message. A repeated `clientConversationId` sends to the conversation that it created.
 * @throws AppError as `sendMessage`; the conversation then exists, and the next send goes to it
 */
export async function sendFirstMessage(
  chat: ChatFeature,
  actor: Actor,
  first: FirstSend,
): Promise<CreatedConversation> {
  const { clientConversationId = randomUUID(), admitted, message: named, ...fields } = first;
  const { summaryOf: source, ...message } = named;
  const summaryOf = source && (await findSummarised(chat, actor, source));
  const conversationId = conversationIdOf(actor.userId, clientConversationId);
  const creating = createAdmitted(chat, actor, {
    fields: { ...fields, clientConversationId },
    admitted,
  });
  const send = {
    ...message,
    conversationId,
    ...(admitted && { admitted }),
    ...(summaryOf && { summaryOf }),
  };
  const sent = await sendTo(chat, actor, { send, accessed: creating }).catch(
    async (error: unknown) => {
      void publishConversation(chat, await creating);
      throw error;
    },
  );
  return { ...presentConversation(await creating), sent };
}

async function createAdmitted(
  chat: ChatFeature,
  actor: Actor,
  { fields, admitted }: { fields: NewConversation; admitted: Promise<void> | undefined },
): Promise<ConversationRecord> {
  await admitted;
  return insertConversation(chat, actor, fields);
}

/** The active path of a conversation that has messages. @throws AppError not_found */
async function findSummarised(chat: ChatFeature, actor: Actor, id: string): Promise<SummarySource> {
  // Of the user's own: the reply is made again later, when one that was shared may no longer be.
  const conversation = await chat.conversations.find({ id, ownerId: actor.userId });
  if (!conversation) throw notFound('conversation');
  const { activeLeafId, ...scope } = conversation;
  const conversationId = scope.id;
  const leaf =
    activeLeafId && (await chat.messages.find(activeLeafId, { ...scope, conversationId }));
  if (!leaf) throw notFound('conversation');
  return { conversationId, leafId: leaf.id, bytes: await lengthDownTo(chat, leaf) };
}
