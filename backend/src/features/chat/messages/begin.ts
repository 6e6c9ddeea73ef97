import { randomUUID } from 'node:crypto';
import { type Actor, requireAccess } from '../../../access/index.ts';
import type { CreatedConversation } from '../../../contract/conversations.ts';
import {
  type ConversationStore,
  conversationIdOf,
  presentConversation,
} from '../conversations/index.ts';
import type { MessageService, Send } from './service.ts';

interface Beginning extends Pick<Send, 'admitted'> {
  title: string;
  clientConversationId?: string | undefined;
  message: Pick<Send, 'content' | 'clientMessageId'>;
}

interface BeginDeps {
  conversations: ConversationStore;
  messages: Pick<MessageService, 'send'>;
  now: () => Date;
}

/**
 * Creates a conversation and sends its first message. The same `clientConversationId` finds the conversation that it
 * created before, the same `clientMessageId` the message. A message that is refused leaves the conversation empty.
 * @throws AppError as `send` does
 */
export const createBeginning =
  ({ conversations, messages, now }: BeginDeps) =>
  async (
    actor: Actor,
    { title, clientConversationId = randomUUID(), message, admitted }: Beginning,
  ): Promise<CreatedConversation> => {
    const { userId: ownerId } = actor;
    const conversationId = conversationIdOf(ownerId, clientConversationId);
    const open = async () => {
      await admitted;
      return conversations.insert({ ownerId, title, clientConversationId, now: now() });
    };
    const sent = await messages.send(actor, { ...message, conversationId }, open());
    const conversation = await conversations.find(conversationId);
    return { ...presentConversation(requireAccess(actor, conversation, 'conversation')), sent };
  };
