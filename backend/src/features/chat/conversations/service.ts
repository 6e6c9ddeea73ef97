import { randomUUID } from 'node:crypto';
import type { Conversation } from '../../../contract/conversations.ts';
import { isActive, type Message, type SentMessage } from '../../../contract/messages.ts';
import { AppError, notFound, unavailable } from '../../../errors.ts';
import type { JobProducer } from '../../../jobs/producer.ts';
import type { Log } from '../../../log.ts';
import type { Bus } from '../../../realtime/bus.ts';
import type { Person, UsageService } from '../../usage/index.ts';
import { type ReplyJob, type ReplyLog, withLiveText } from '../generation/index.ts';
import {
  presentMessage,
  presentReply,
  presentUserMessage,
  type Turn,
  type TurnStore,
  turnIds,
} from '../messages/index.ts';
import type { ConversationStore } from './model.ts';
import { presentConversation } from './present.ts';

interface ServiceDeps {
  conversations: ConversationStore;
  turns: TurnStore;
  usage: UsageService;
  replyLog: ReplyLog;
  producer: JobProducer<ReplyJob>;
  bus: Bus;
  now: () => Date;
  log: Log;
}

interface Send {
  conversationId: string;
  content: string;
  /** UUID of the client; makes a repeated send the same send. */
  clientMessageId?: string | undefined;
}

export type ConversationService = ReturnType<typeof createConversationService>;

/** What a person does with conversations. Somebody else's conversation is not there: 404. */
export function createConversationService(deps: ServiceDeps) {
  const { conversations, turns, usage, replyLog, producer, bus, now, log } = deps;

  const own = async (id: string, ownerId: string) => {
    const conversation = await conversations.findOwn(id, ownerId);
    if (!conversation) throw notFound('conversation');
    return conversation;
  };

  /** Stores the turn under the person's allowance; a turn that loses to another one costs nothing. */
  const accept = async (person: Person, send: Required<Send> & { clientMessageId: string }) => {
    const { conversationId, clientMessageId, content } = send;
    const { replyId } = turnIds(conversationId, clientMessageId);
    await usage.reserve(person.id, {
      replyId,
      attempt: 1,
      promptTokens: Math.ceil(content.length / 4),
      replyTokens: 4_000,
    });
    const turn = await turns.insert({
      conversationId,
      ownerId: person.id,
      clientMessageId,
      content,
      now: now(),
    });
    // A repetition may come when its reply has ended and was charged: then this reservation is one too many.
    if (turn === 'busy' || !isActive(turn.reply.status)) await usage.release(person.id, { replyId, attempt: 1 });
    if (turn === 'busy')
      throw new AppError(
        'reply_in_progress',
        'Wait for the reply that is being written, or stop it.',
      );
    return turn;
  };

  const enqueue = async ({ reply }: Turn) => {
    if (reply.status !== 'queued') return;
    // Message and reply are stored by now: if this fails, sending again or the sweeper completes it.
    await producer.add(reply.jobId, { replyId: reply.id, conversationId: reply.conversationId }).catch((error: unknown) => {
      throw unavailable(error);
    });
  };

  /** The message is accepted by now; a tab that hears nothing of it catches up. */
  const announce = async (ownerId: string, result: SentMessage) => {
    try {
      await bus.publish(ownerId, 'message:created', result);
      const moved = await conversations.touch(result.message.conversationId, ownerId, now());
      if (moved) await bus.publish(ownerId, 'conversation:changed', presentConversation(moved));
    } catch (error) {
      log.warn({ err: error, replyId: result.reply.id }, 'a message was not announced');
    }
  };

  return {
    list: async (ownerId: string): Promise<Conversation[]> =>
      (await conversations.list(ownerId)).map(presentConversation),

    create: async (ownerId: string, title: string): Promise<Conversation> => {
      const conversation = presentConversation(await conversations.insert(ownerId, title, now()));
      await bus.publish(ownerId, 'conversation:changed', conversation);
      return conversation;
    },

    /** All messages, oldest first; a running reply with the text shown so far. @throws AppError not_found */
    messages: async (id: string, ownerId: string): Promise<Message[]> => {
      await own(id, ownerId);
      const records = await turns.list(id);
      const live = records.map(async (record) =>
        presentMessage(record.role === 'assistant' ? await withLiveText(record, replyLog) : record),
      );
      return Promise.all(live);
    },

    /**
     * Accepts a message: returns once message and queued reply are stored and the job is in the queue.
     * @throws AppError not_found, subscription_required, quota_exceeded, reply_in_progress; unavailable when the
     *   queue is down: the message is stored then, and the same `clientMessageId` sent again completes it.
     */
    send: async (person: Person, send: Send): Promise<SentMessage> => {
      const { conversationId, content, clientMessageId = randomUUID() } = send;
      await own(conversationId, person.id);
      const { replyId } = turnIds(conversationId, clientMessageId);
      const repeated = await turns.find(replyId);
      const turn = repeated ?? (await accept(person, { conversationId, content, clientMessageId }));
      await enqueue(turn);
      const result = {
        message: presentUserMessage(turn.message),
        reply: presentReply(turn.reply),
      };
      if (!repeated) await announce(person.id, result);
      return result;
    },
  };
}
