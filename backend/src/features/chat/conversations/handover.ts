import { sweepEach } from '../../../jobs/sweep-each.ts';
import type { HandingOver } from '../../record-grants-model.ts';
import type { ChatFeature } from '../feature.ts';
import type { Handover } from './handover-model.ts';
import { publishConversation } from './present.ts';

export const HANDOVER_EVERY_MS = 1_000;
const BATCH = 100;

/**
 * Gives the conversations that a user shares with a workspace to another user. They are the other user's for everybody from now on; the
 * sweep moves their data. It can be repeated.
 */
export async function beginHandover(
  { handovers, now }: Pick<ChatFeature, 'handovers' | 'now'>,
  given: HandingOver,
): Promise<void> {
  await handovers.redirect(given);
  await handovers.begin(given, now());
}

/**
 * Moves conversations to their next owners; one with a running reply waits for its end. Each goes behind all others before it is tried, so
 * that those that wait or fail keep no later one from moving.
 */
export async function handOver(chat: ChatFeature): Promise<void> {
  const { handovers, now } = chat;
  await sweepEach(await handovers.open({ limit: BATCH }), async (one) => {
    await handovers.putLast(one, now());
    await handOverOne(chat, one);
  });
}

/**
 * Completes what passes from a user or to a user whose account is being erased. The caller repeats the call.
 * @throws Error while a reply runs in one of them
 */
export async function completeHandovers(chat: ChatFeature, userId: string): Promise<void> {
  for (;;) {
    const open = await chat.handovers.open({ userId, limit: BATCH });
    if (open.length === 0) return;
    const done = await Promise.all(open.map((one) => handOverOne(chat, one)));
    if (done.includes(false)) throw new Error('A conversation waits for its next owner.');
  }
}

/**
 * Each step can be repeated, and the next sweep continues after a crash. Until the last one nobody reads the conversation.
 * @returns false while a reply runs
 */
async function handOverOne(chat: ChatFeature, handover: Handover): Promise<boolean> {
  const { handovers, messages, handedOver, search, others } = chat;
  const { id, from, to } = handover;
  const old = { conversationId: id, ownerId: from };
  if (await messages.activeReplyId(old)) {
    if (handover.isMoved) await handovers.moveBack(handover);
    return false;
  }
  if (!handover.isMoved) {
    if (!(await handovers.move(handover))) return true;
    // No reply begins once the hand-over is stored, except one that was being sent.
    if (await messages.activeReplyId(old)) {
      await handovers.moveBack(handover);
      return false;
    }
  }
  await others.shares.endOfConversation(id);
  await handedOver.move({ conversationId: id, from, to });
  await search.remove(old);
  if (await handovers.complete(handover)) await publishMoved(chat, handover);
  return true;
}

async function publishMoved(chat: ChatFeature, { id, from, to }: Handover): Promise<void> {
  const moved = await chat.conversations.find({ id, ownerId: to });
  void chat.bus.publish(from, 'access:changed', { conversationId: id });
  if (moved) await publishConversation(chat, moved);
}
