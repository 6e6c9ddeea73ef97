import { type Actor, audienceOf, requireAccess } from '../../../access/index.ts';
import { isActive, type MessageMetadata, type Reply } from '../../../contract/messages.ts';
import { AppError, notFound } from '../../../errors.ts';
import type { TaskQueue } from '../../../jobs/durable.ts';
import type { Bus } from '../../../realtime/bus.ts';
import type { ConversationStore } from '../conversations/index.ts';
import { type MessageTree, presentReply, type ReplyRecord } from '../messages/index.ts';
import type { StepKey } from './job.ts';
import type { StepStore } from './model.ts';

interface RequestDeps {
  steps: Pick<StepStore, 'request'>;
  messages: Pick<MessageTree, 'findReply' | 'children'>;
  conversations: Pick<ConversationStore, 'find'>;
  stepQueue: Pick<TaskQueue<StepKey>, 'enqueue'>;
  bus: Pick<Bus, 'publish'>;
  now: () => Date;
}

/** A post-step that a user asks for. */
interface StepRequest {
  step: string;
  /** Stored with the reply and published while the step is pending. */
  metadata: Partial<MessageMetadata>;
  /** Whether the reply, as it is, needs the step. May throw an AppError for a reply that cannot have it. */
  isWanted: (reply: Pick<ReplyRecord, 'metadata' | 'settings'>) => boolean;
}

/**
 * Runs a post-step of a complete reply when a user asks for it. While it is pending, and when the reply does not need it, asking again
 * changes nothing. @returns the reply as it is then
 * @throws AppError not_found; reply_in_progress; reply_not_retryable when the reply ended early
 */
export function createStepRequests(deps: RequestDeps) {
  const { steps, messages, conversations, stepQueue, bus, now } = deps;

  const present = async (reply: ReplyRecord): Promise<Reply> => {
    const { conversationId, ownerId, parentId, depth } = reply;
    const siblings = await messages.children({ conversationId, ownerId }, { parentId, depth });
    return presentReply(
      reply,
      siblings.map(({ id }) => id),
    );
  };

  return async (actor: Actor, replyId: string, request: StepRequest): Promise<Reply> => {
    const { step, metadata, isWanted } = request;
    const found = await messages.findReply(replyId, actor.userId);
    const reply = requireAccess(actor, found, 'reply');
    if (!(await conversations.find(reply.conversationId))) throw notFound('reply');
    if (isActive(reply.status))
      throw new AppError('reply_in_progress', 'Wait until the reply is complete.');
    if (reply.status !== 'complete')
      throw new AppError('reply_not_retryable', 'Only a complete reply can be checked.');
    if (!isWanted(reply)) return present(reply);
    const key = { replyId, attempt: reply.attempt, step };
    const requested = await steps.request(key, { metadata, now: now() });
    // Another tab was first, or the reply was removed.
    if (!requested) return present(reply);
    await stepQueue.enqueue(key);
    const presented = await present(requested);
    for (const userId of audienceOf(requested))
      await bus.publish(userId, 'message:updated', presented);
    return presented;
  };
}

export type RequestStep = ReturnType<typeof createStepRequests>;
