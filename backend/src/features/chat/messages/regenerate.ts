import { randomUUID } from 'node:crypto';
import { type Actor, requireAccess } from '../../../access/index.ts';
import { isActive, type Reply } from '../../../contract/messages.ts';
import type { RegenerateBody } from '../../../contract/replies.ts';
import { notFound } from '../../../errors.ts';
import type { UsageService } from '../../usage/index.ts';
import { replyInProgress } from '../conversations/index.ts';
import { createSettingsChoice, type SettingsDeps } from './chosen-settings.ts';
import { estimateTokens } from './estimate.ts';
import { createParentSelection } from './parent.ts';
import { presentReply, presentUserMessage } from './present.ts';
import type { ReplyRecord } from './record.ts';
import { createReserving, isStarting, type ReservingDeps } from './reserving.ts';
import { type SentMessageStore, siblingId } from './sent-message-model.ts';
import { callCount } from './settings.ts';
import { createReplyStart, type StartDeps } from './start.ts';
import { nextTime, withId } from './tree.ts';

export interface RegenerationDeps extends StartDeps, ReservingDeps, SettingsDeps {
  sends: Pick<SentMessageStore, 'insertSibling' | 'confirm'>;
  usage: Pick<UsageService, 'laneOf' | 'reserve' | 'release'>;
  now: () => Date;
}

/**
 * Regenerates the reply to a user message: another queued reply beside `id`, which becomes the active leaf. A repeated
 * `clientReplyId` creates nothing new.
 * @throws AppError not_found, subscription_required, quota_exceeded, too_many_replies, reply_in_progress,
 * unavailable
 */
export function createRegeneration(deps: RegenerationDeps) {
  const { conversations, messages, sends, usage } = deps;
  const { start, repeat } = createReplyStart(deps);
  const { reserve, release, takePriority } = createReserving(deps);
  const { lengthDownTo } = createParentSelection(messages);
  const { ofReply } = createSettingsChoice(deps);

  return async (
    actor: Actor,
    id: string,
    { clientReplyId = randomUUID() }: RegenerateBody = {},
  ): Promise<Reply> => {
    const earlier = await messages.findReply(id, actor.userId);
    if (!earlier) throw notFound('reply');
    const { conversationId, parentId, depth } = earlier;
    const scope = { conversationId, ownerId: earlier.ownerId };
    const replyId = siblingId(parentId, clientReplyId);
    const [found, message, siblings, known] = await Promise.all([
      conversations.find(conversationId),
      messages.find(parentId, scope),
      messages.children(scope, earlier),
      messages.findReply(replyId, actor.userId),
    ]);
    const conversation = requireAccess(actor, found, 'conversation');
    if (message?.role !== 'user') throw notFound('reply');
    const answer = async (reply: ReplyRecord) =>
      (await repeat(conversation, { message, reply })).reply;
    if (known) return answer(known);
    if (isActive(earlier.status)) throw replyInProgress();
    const { settings, limits, added } = await ofReply(earlier.settings, conversation, actor);
    const { parts, summaryBytes } = added;
    const length = (await lengthDownTo(message)) + summaryBytes;
    const calls = callCount(settings);
    const estimate = { length, parts, messages: depth, depth: settings.depth, calls };
    const [reserved, lane, messageSiblings] = await Promise.all([
      reserve({ replyId, ownerId: conversation.ownerId }, estimateTokens(estimate, limits)),
      usage.laneOf(conversation.ownerId),
      messages.children(scope, message),
    ]);
    const priority = takePriority({ ownerId: conversation.ownerId, lane });
    const reply = await sends.insertSibling({
      ...scope,
      id: replyId,
      parentId,
      depth,
      reserved,
      lane,
      settings,
      leafBefore: conversation.activeLeafId,
      createdAt: nextTime(conversation, siblings, deps.now()),
      now: deps.now(),
    });
    if (!reply) {
      const stored = await messages.findReply(replyId, actor.userId);
      // The reservation is that of the stored reply, unless its first attempt has ended by now.
      if (!stored || !isStarting(stored)) await release(replyId, conversation.ownerId);
      if (!stored) throw replyInProgress();
      return answer(stored);
    }
    const presented = presentReply(reply, withId(siblings, replyId));
    await start(
      conversation,
      { reply, priority },
      {
        message: presentUserMessage(message, withId(messageSiblings, message.id)),
        reply: presented,
      },
    );
    return presented;
  };
}
