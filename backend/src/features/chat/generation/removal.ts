import type { Scope } from '../messages/index.ts';
import { RUN_LIMIT_MS } from '../post-steps/index.ts';
import { type GenerationFeature, STOP_CHANNEL } from './feature.ts';
import type { ReplyKey } from './reply-record.ts';

// A stop takes a moment; a worker that missed the request sees it at its next checkpoint, after 2 s at most.
const POLL_MS = 250;
const MAX_POLLS = 40;

type Removing = Pick<GenerationFeature, 'replies' | 'replyLog' | 'channels'>;

/**
 * Removes every message of a user, and the logs of their replies. First, active replies are ended and charged, and post-steps end, because
 * their workers would continue to write. Rejects when one does not end in time; the caller repeats the call.
 */
export async function removeMessagesOf(
  generation: Removing & Pick<GenerationFeature, 'messages' | 'steps' | 'now' | 'sleep'>,
  ownerId: string,
): Promise<void> {
  const { replies, messages, replyLog, sleep } = generation;
  const openReplies = () => replies.keysOf(ownerId, { open: true });
  const open = await openReplies();
  await Promise.all(open.map((key) => requestStop(generation, key, ownerId)));
  for (let polls = 0; await hasOpenWork(generation, ownerId, idsOf(open)); polls += 1) {
    if (polls === MAX_POLLS) throw notEnded();
    await sleep(POLL_MS);
  }
  // A concurrent send may have stored another reply.
  if ((await openReplies()).length > 0) throw notEnded();
  // The logs first: the messages name them.
  await replyLog.remove(await replies.keysOf(ownerId, { open: false }));
  await messages.removeAllOf(ownerId);
}

/** Called often, so it reads only the replies that were open, never all messages of the user. */
async function hasOpenWork(
  { replies, steps, now }: Pick<GenerationFeature, 'replies' | 'steps' | 'now'>,
  ownerId: string,
  open: string[],
) {
  if ((await replies.stillOpen(open)).length > 0) return true;
  // No reply can complete any more, so no step follows.
  await steps.dropWaiting(ownerId);
  return steps.isAnyRunning(ownerId, new Date(now().getTime() - RUN_LIMIT_MS));
}

const idsOf = (keys: readonly ReplyKey[]) => keys.map(({ id }) => id);

const notEnded = () => new Error('A reply of a deleted account has not ended yet.');

/** Requests the end of a reply; a worker that misses it sees it at its next checkpoint. */
async function requestStop(
  { replies, channels }: Pick<GenerationFeature, 'replies' | 'channels'>,
  key: ReplyKey,
  ownerId: string,
) {
  await replies.requestStop(key, ownerId);
  await channels.publish(STOP_CHANNEL, key.id);
}

/**
 * Stops the replies of a conversation.
 * @returns the number of replies that had not ended, or were not charged
 */
export async function stopRepliesIn(
  generation: Pick<GenerationFeature, 'replies' | 'channels'>,
  scope: Scope,
): Promise<number> {
  const open = await generation.replies.keysIn(scope, { open: true });
  await Promise.all(open.map((key) => requestStop(generation, key, scope.ownerId)));
  return open.length;
}

/**
 * Removes the messages of a conversation, and the logs of its replies.
 * @returns false while a reply has not ended or is not charged, because its worker would continue to write
 */
export async function removeMessagesIn(
  generation: Removing & { messages: Pick<GenerationFeature['messages'], 'removeAllIn'> },
  scope: Scope,
): Promise<boolean> {
  const { replies, messages, replyLog } = generation;
  if ((await stopRepliesIn(generation, scope)) > 0) return false;
  // The logs first: the messages name them.
  await replyLog.remove(await replies.keysIn(scope, { open: false }));
  await messages.removeAllIn(scope);
  return true;
}
