import { audienceOf } from '../../../access/index.ts';
import { isActive, type SentMessage } from '../../../contract/messages.ts';
import { unavailable } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import type { Bus } from '../../../realtime/bus.ts';
import {
  type ConversationRecord,
  type ConversationStore,
  listedFor,
  presentConversation,
} from '../conversations/index.ts';
import type { CompleteSend } from './completion.ts';
import { presentReply, presentUserMessage } from './present.ts';
import type { ReplyRecord } from './record.ts';
import type { SentMessageRecord, SentMessageStore } from './sent-message-model.ts';
import { withId } from './tree.ts';
import type { MessageTree } from './tree-model.ts';

export interface StartDeps {
  conversations: ConversationStore;
  messages: MessageTree;
  sends: Pick<SentMessageStore, 'confirm'>;
  completeSend: CompleteSend;
  /** Puts the job of a queued reply into the queue; without a priority it takes one, unless the job is there already. */
  enqueue: (reply: ReplyRecord, priority?: Promise<number>) => Promise<void>;
  bus: Bus;
  log: Log;
}

/** The steps after a reply is stored: enqueue it, make it the active leaf, and publish it to the audience. */
export function createReplyStart(deps: StartDeps) {
  const { conversations, messages, sends, completeSend, enqueue, bus, log } = deps;
  const makeLeaf = async (conversation: ConversationRecord, reply: ReplyRecord) => {
    const { id, ownerId } = conversation;
    const move = (from: string | null) =>
      conversations.moveLeaf({
        id,
        ownerId,
        from,
        to: reply.id,
        at: reply.createdAt,
        remember: reply.outbox?.remember,
      });
    const moved = await move(conversation.activeLeafId);
    if (moved) return moved;
    // Another tab has selected a branch meanwhile. While this reply is active no other message can become the leaf.
    const [current, activeId] = await Promise.all([
      conversations.find(id),
      messages.activeReplyId({ conversationId: id, ownerId }),
    ]);
    return current && activeId === reply.id ? move(current.activeLeafId) : null;
  };

  /** The reply is stored by now: if this fails, sending again or the sweeper enqueues it. */
  const enqueueOrThrow = async (reply: ReplyRecord, priority?: Promise<number>) => {
    if (reply.status !== 'queued') return;
    await enqueue(reply, priority).catch((error: unknown) => {
      throw unavailable(error);
    });
  };

  /** Events are not waited for: a tab that misses one catches up. */
  const publish = (conversation: ConversationRecord, sent: SentMessage) => {
    for (const userId of audienceOf(conversation))
      void bus.publish(userId, 'message:created', sent);
  };

  const publishConversation = (conversation: ConversationRecord) => {
    for (const userId of listedFor(conversation))
      void bus.publish(userId, 'conversation:changed', presentConversation(conversation));
  };

  /** The worker completes what fails here. */
  const showLeaf = async (conversation: ConversationRecord, reply: ReplyRecord) => {
    try {
      const moved = await makeLeaf(conversation, reply);
      if (moved && !moved.isDeleted) publishConversation(moved);
    } catch (error) {
      log.warn({ err: error, replyId: reply.id }, 'the active leaf was not moved');
    }
  };

  return {
    publishConversation,

    /** Answers a request whose reply is stored already. */
    repeat: async (
      conversation: ConversationRecord,
      { message, reply }: SentMessageRecord,
    ): Promise<SentMessage> => {
      const scope = { conversationId: conversation.id, ownerId: conversation.ownerId };
      const [siblings, replies] = await Promise.all([
        messages.children(scope, message),
        messages.children(scope, reply),
        sends.confirm(reply),
      ]);
      const sent = {
        message: presentUserMessage(message, withId(siblings, message.id)),
        reply: presentReply(reply, withId(replies, reply.id)),
      };
      if (isActive(reply.status)) {
        // The first request may have been interrupted before it published or enqueued anything.
        if (reply.status === 'queued') publish(conversation, sent);
        await Promise.all([enqueueOrThrow(reply), completeSend(reply)]);
      }
      return sent;
    },

    /** @throws AppError unavailable when the queue does not answer. */
    start: async (
      conversation: ConversationRecord,
      { reply, priority }: { reply: ReplyRecord; priority: Promise<number> },
      sent: SentMessage,
    ): Promise<void> => {
      const queued = enqueueOrThrow(reply, priority);
      publish(conversation, sent);
      // One after the other: the worker's first query does not wait behind this one.
      try {
        await queued;
      } finally {
        await showLeaf(conversation, reply);
      }
    },
  };
}
