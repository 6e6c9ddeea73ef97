import type { ReplyDelta, ReplyState } from '../../../contract/replies.ts';
import type { Redis } from '../../../db/redis.ts';
import { encodeEvent, userChannel } from '../../../realtime/bus.ts';
import type { Piece } from './text.ts';

// A log outlives its reply by minutes only: from its end on the database has everything. The longer time bounds the
// logs of replies that never end. The length guard bounds memory; what it drops stands in the database's checkpoint.
const LIVE_SECONDS = 6 * 3600;
const ENDED_SECONDS = 300;
const MAX_ENTRIES = 10_000;

// One script, so that nothing is published that was not logged: the log comes first, and an id that Redis refuses
// (a later attempt has begun) ends the script before the publish.
const APPEND = `
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ${MAX_ENTRIES}, ARGV[1], 'frame', ARGV[2])
redis.call('PUBLISH', ARGV[3], ARGV[4])
return 1`;

/** A later attempt has the reply: whatever this one still has to say is refused. */
export class FencedError extends Error {
  override name = 'FencedError';
}

/** Where one attempt's frames go. `seq` counts the attempt's entries and may skip, never repeat. */
export interface FrameAddress {
  ownerId: string;
  seq: number;
}

/**
 * The log of a reply's text in Redis, one stream a reply, entry ids `<attempt>-<seq>`. Redis accepts growing ids only:
 * once an attempt has begun, no frame of an earlier one gets in.
 */
export type ReplyLog = ReturnType<typeof createReplyLog>;

interface WithAppend {
  appendFrame(key: string, id: string, frame: string, channel: string, event: string): Promise<1>;
}

const key = (replyId: string) => `reply:${replyId}`;

const fenced = (error: unknown) => {
  const lost = error instanceof Error && error.message.includes('equal or smaller');
  return lost ? new FencedError('A later attempt has this reply.') : error;
};

export function createReplyLog(redis: Redis) {
  redis.defineCommand('appendFrame', { numberOfKeys: 1, lua: APPEND });
  const scripts = redis as Redis & WithAppend;

  return {
    /**
     * Opens an attempt; from here on the earlier ones are fenced off.
     * @throws FencedError when a later attempt has begun; the connection's error when Redis is away.
     */
    begin: async (replyId: string, attempt: number): Promise<void> => {
      try {
        await redis.xadd(key(replyId), `${attempt}-0`, 'begin', '');
        await redis.expire(key(replyId), LIVE_SECONDS);
      } catch (error) {
        throw fenced(error);
      }
    },

    /** Logs a frame, then shows it to every tab of the owner. @throws as `begin` does. */
    append: async (frame: ReplyDelta, { ownerId, seq }: FrameAddress): Promise<void> => {
      const id = `${frame.attempt}-${seq}`;
      const logged = JSON.stringify({ offset: frame.offset, delta: frame.delta });
      const event = encodeEvent('reply:delta', frame);
      try {
        await scripts.appendFrame(key(frame.replyId), id, logged, userChannel(ownerId), event);
      } catch (error) {
        throw fenced(error);
      }
    },

    /** Tells the owner's tabs of a change of state; after a terminal one the log expires. */
    announce: async (state: ReplyState, ownerId: string): Promise<void> => {
      const pipeline = redis.pipeline();
      pipeline.publish(userChannel(ownerId), encodeEvent('reply:state', state));
      if (state.status !== 'queued' && state.status !== 'streaming')
        pipeline.expire(key(state.replyId), ENDED_SECONDS);
      await pipeline.exec();
    },

    remove: async (replyIds: string[]): Promise<void> => {
      if (replyIds.length > 0) await redis.unlink(replyIds.map(key));
    },

    /** The frames of one attempt, in order. */
    read: async (replyId: string, attempt: number): Promise<Piece[]> => {
      const entries = await redis.xrange(key(replyId), `${attempt}-1`, `${attempt}`);
      return entries.map(([, fields]) => JSON.parse(fields[1] ?? '') as Piece);
    },
  };
}
