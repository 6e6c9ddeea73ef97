import { isActive } from '../../../contract/messages.ts';
import type { Lane, ReadAhead, UsageService } from '../../usage/index.ts';
import type { ReplyRecord, ReservedTokens } from './record.ts';

export interface ReservingDeps {
  usage: Pick<UsageService, 'reserve' | 'release'>;
  /** Takes the priority with which a user's next reply is enqueued. */
  takePriority: (waits: { ownerId: string; lane: Lane }) => Promise<number>;
}

export const FIRST_ATTEMPT = 1;

/** Whether the first attempt at a reply has not ended. */
export const isStarting = ({ status, attempt }: ReplyRecord): boolean =>
  isActive(status) && attempt <= FIRST_ATTEMPT;

/** What the first attempt at a reply reserves before the reply is stored. */
export const createReserving = ({ usage, takePriority }: ReservingDeps) => ({
  reserve: async (
    { replyId, ownerId }: { replyId: string; ownerId: string },
    tokens: ReservedTokens,
    ahead?: ReadAhead,
  ): Promise<ReservedTokens> => {
    const reservation = { replyId, attempt: FIRST_ATTEMPT, ...tokens };
    return usage.reserve(ownerId, reservation, ahead);
  },

  release: (replyId: string, ownerId: string): Promise<void> =>
    usage.release(ownerId, { replyId, attempt: FIRST_ATTEMPT }),

  /** Runs while the reply is being stored; a failure counts when the reply is enqueued. */
  takePriority: (waits: { ownerId: string; lane: Lane }): Promise<number> => {
    const priority = takePriority(waits);
    priority.catch(() => undefined);
    return priority;
  },
});
