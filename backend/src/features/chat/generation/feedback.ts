import { type Actor, audienceOf, requireAccess } from '../../../access/index.ts';
import type { ReplyFeedback } from '../../../contract/messages.ts';
import type { ReplyFeedbackBody, ReplyResult } from '../../../contract/replies.ts';
import { notFound } from '../../../errors.ts';
import type { Bus } from '../../../realtime/bus.ts';
import { type ConversationStore, replyInProgress } from '../conversations/index.ts';
import { type MessageTree, presentReply } from '../messages/index.ts';
import type { ReplyStore } from './model.ts';
import type { GeneratedReply } from './reply-record.ts';

/** Tabs that rate a reply at the same moment settle within this many rounds. */
const MAX_ROUNDS = 3;

interface FeedbackDeps {
  replies: Pick<ReplyStore, 'findOwn' | 'setFeedback'>;
  conversations: Pick<ConversationStore, 'find'>;
  messages: Pick<MessageTree, 'children'>;
  bus: Pick<Bus, 'publish'>;
}

/**
 * Stores or removes what the user thinks of a reply that has ended, and publishes the reply to the user's tabs.
 * @throws AppError not_found, also for a reply of another user or a deleted conversation; reply_in_progress
 */
export type RateReply = (
  actor: Pick<Actor, 'userId'>,
  id: string,
  body: ReplyFeedbackBody,
) => Promise<ReplyResult>;

export function createReplyFeedback(deps: FeedbackDeps): RateReply {
  const { replies, conversations, messages, bus } = deps;

  const present = async (reply: GeneratedReply): Promise<ReplyResult> => {
    const siblings = await messages.children(reply, reply);
    const siblingIds = siblings.map(({ id }) => id);
    return { reply: presentReply(reply, siblingIds) };
  };

  /**
   * Two tabs may store in one order and publish in the other. Each publishes again until what it published last is what
   * is stored, so that all tabs end with the stored feedback.
   */
  const publish = async (stored: GeneratedReply): Promise<void> => {
    let current = stored;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const { reply } = await present(current);
      await Promise.all(
        audienceOf(current).map((userId) => bus.publish(userId, 'message:updated', reply)),
      );
      const latest = await replies.findOwn(current.id, current.ownerId);
      if (!latest || isSame(latest.feedback, current.feedback)) return;
      current = latest;
    }
  };

  return async (actor, id, { rating, reason }) => {
    const reply = requireAccess(actor, await replies.findOwn(id, actor.userId), 'reply');
    if (!(await conversations.find(reply.conversationId))) throw notFound('reply');
    const feedback = rating && { rating, ...(reason && { reason }) };
    const stored = await replies.setFeedback(id, actor.userId, feedback);
    if (!stored) throw replyInProgress();
    await publish(stored);
    return present(stored);
  };
}

const isSame = (a: ReplyFeedback | undefined, b: ReplyFeedback | undefined): boolean =>
  a?.rating === b?.rating && a?.reason === b?.reason;
