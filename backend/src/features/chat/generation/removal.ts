import type { Redis } from '../../../db/redis.ts';
import { RUN_LIMIT_MS, type StepStore } from '../post-steps/index.ts';
import type { ReplyLog } from './log.ts';
import type { ReplyStore } from './model.ts';
import { STOP_CHANNEL } from './service.ts';

// A stop takes a moment; a worker that missed the request sees it at its next checkpoint, after 2 s at most.
const POLL_MS = 250;
const MAX_POLLS = 40;

interface RemovalDeps {
  replies: ReplyStore;
  messages: { removeAllOf: (ownerId: string) => Promise<void> };
  steps: Pick<StepStore, 'dropWaiting' | 'isAnyRunning'>;
  replyLog: ReplyLog;
  redis: Redis;
  now: () => Date;
  sleep: (ms: number) => Promise<void>;
}

/**
 * Removes every message of a user, and the logs of their replies. Active replies are ended and charged first, and
 * post-steps end: their workers would go on writing. Rejects when one does not end in time; call it again then.
 */
export function createMessageRemoval(deps: RemovalDeps) {
  const { replies, messages, steps, replyLog, redis, now, sleep } = deps;

  const stop = createStop({ replies, redis });

  const openReplies = (ownerId: string) => replies.idsOf(ownerId, { open: true });

  /** Asked often: it looks at the replies that were open, and never at all messages of the user. */
  const hasOpenWork = async (ownerId: string, open: string[]) => {
    if ((await replies.stillOpen(open)).length > 0) return true;
    // No reply completes any more, so no further step follows.
    await steps.dropWaiting(ownerId);
    return steps.isAnyRunning(ownerId, new Date(now().getTime() - RUN_LIMIT_MS));
  };

  return async (ownerId: string): Promise<void> => {
    const open = await openReplies(ownerId);
    await Promise.all(open.map((id) => stop(id, ownerId)));
    for (let polls = 0; await hasOpenWork(ownerId, open); polls += 1) {
      if (polls === MAX_POLLS) throw notEnded();
      await sleep(POLL_MS);
    }
    // A send that was under way may have stored another one.
    if ((await openReplies(ownerId)).length > 0) throw notEnded();
    // The logs first: their names are found by the messages.
    await replyLog.remove(await replies.idsOf(ownerId, { open: false }));
    await messages.removeAllOf(ownerId);
  };
}

const notEnded = () => new Error('A reply of a deleted account has not ended yet.');

/** Requests the end of a reply; a worker that misses it sees it at its next checkpoint. */
const createStop =
  ({ replies, redis }: Pick<RemovalDeps, 'replies' | 'redis'>) =>
  async (replyId: string, ownerId: string): Promise<void> => {
    await replies.requestStop(replyId, ownerId);
    await redis.publish(STOP_CHANNEL, replyId);
  };

interface Scope {
  conversationId: string;
  ownerId: string;
}

type ConversationDeps = Pick<RemovalDeps, 'replies' | 'replyLog' | 'redis'> & {
  messages: { removeAllIn: (scope: Scope) => Promise<void> };
};

/** Stops the replies of a conversation, and removes all of its messages. */
export function createConversationRemoval(deps: ConversationDeps) {
  const { replies, messages, replyLog } = deps;
  const stop = createStop(deps);

  const stopReplies = async (scope: Scope): Promise<number> => {
    const open = await replies.idsIn(scope, { open: true });
    await Promise.all(open.map((id) => stop(id, scope.ownerId)));
    return open.length;
  };

  return {
    stopReplies: async (scope: Scope): Promise<void> => {
      await stopReplies(scope);
    },

    /** @returns false while a reply has not ended, or is not charged: its worker would go on writing */
    removeMessages: async (scope: Scope): Promise<boolean> => {
      if ((await stopReplies(scope)) > 0) return false;
      // The logs first: their names are found by the messages.
      await replyLog.remove(await replies.idsIn(scope, { open: false }));
      await messages.removeAllIn(scope);
      return true;
    },
  };
}
