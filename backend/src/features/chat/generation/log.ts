import type { DeltaText, ReplyDelta, ReplyState } from '../../../contract/replies.ts';
import { isCluster, type Redis } from '../../../db/redis.ts';
import { encodeEvent, userChannel } from '../../../realtime/bus.ts';

// After the end of a reply the database has everything, and only readers that began earlier still read its log. The longer time limits logs
// of replies that never end. The length limits memory: the checkpoint has the dropped entries.
export const ACTIVE_LOG_SECONDS = 6 * 3600;
export const ENDED_LOG_SECONDS = 60;
const MAX_ENTRIES = 10_000;
/** Entries per read; the text of a checkpoint is 10 s old at most, so one read usually reaches back to it. */
const READ_COUNT = 500;

// One script, so that nothing is published before it is logged: when Redis refuses an id because a later attempt has begun, the script ends
// before it publishes. A delta never creates the log: Redis may have lost it, or it was removed with the reply. Every created log expires.
// ARGV: 1 when the attempt begins or '', channel, number of entries, then id, field and value of each, then events.
const appendScript = (publishes: boolean) => `
local begins, entries = ARGV[1] ~= '', tonumber(ARGV[3])
if not begins and redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for i = 0, entries - 1 do
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ${MAX_ENTRIES}, ARGV[4 + 3 * i], ARGV[5 + 3 * i], ARGV[6 + 3 * i])
end
if begins or redis.call('TTL', KEYS[1]) == -1 then redis.call('EXPIRE', KEYS[1], ${ACTIVE_LOG_SECONDS}) end
${publishes ? "for i = 4 + 3 * entries, #ARGV do redis.call('PUBLISH', ARGV[2], ARGV[i]) end" : ''}
return 1`;

// ARGV: the ended attempt, channel, event. Nothing is published once a later attempt has begun.
const endScript = (publishes: boolean) => `
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last and tonumber(string.match(last[1], '^%d+')) > tonumber(ARGV[1]) then return 0 end
redis.call('EXPIRE', KEYS[1], ${ENDED_LOG_SECONDS})
${publishes ? "redis.call('PUBLISH', ARGV[2], ARGV[3])" : ''}
return 1`;

/** A later attempt has begun: all further writes of this one are refused. */
export class FencedError extends Error {
  override name = 'FencedError';
}

/** The attempt that writes, and the channel. */
export interface LogWriter {
  replyId: string;
  conversationId: string;
  ownerId: string;
  attempt: number;
}

/**
 * The log of a reply's text: one Redis stream per reply, with entry ids `<attempt>-<seq>`. Redis accepts only increasing ids: once an
 * attempt has begun, no delta of an earlier one is logged or published. Every command has one key, so that it also runs on a Redis Cluster.
 */
export type ReplyLog = ReturnType<typeof createReplyLog>;

interface WithScripts {
  appendToReplyLog(key: string, ...args: (string | number)[]): Promise<0 | 1>;
  endReplyLog(key: string, ...args: (string | number)[]): Promise<0 | 1>;
}

const key = (replyId: string) => `reply:${replyId}`;

const fenced = (error: unknown) => {
  const lost = error instanceof Error && error.message.includes('equal or smaller');
  return lost ? new FencedError('A later attempt has this reply.') : error;
};

function withScripts(redis: Redis) {
  const publishes = !isCluster(redis);
  redis.defineCommand('appendToReplyLog', { numberOfKeys: 1, lua: appendScript(publishes) });
  redis.defineCommand('endReplyLog', { numberOfKeys: 1, lua: endScript(publishes) });
  return redis as Redis & WithScripts;
}

export function createReplyLog(redis: Redis) {
  const scripts = withScripts(redis);
  return {
    /**
     * Begins an attempt without publishing; from here on earlier attempts are fenced off.
     * @throws FencedError when a later attempt has begun; the connection's error when Redis is unreachable.
     */
    fence: async (writer: LogWriter): Promise<void> => {
      await append(scripts, writer, { seq: 0, entries: entriesOf([]), events: [], begins: true });
    },

    /**
     * Logs deltas as entries `seq` and following, then publishes them. With `state` the attempt begins, and the state is published after
     * them. `seq` may skip but never repeat: after an error the next call needs a higher one, because the earlier call may still take
     * effect. Begin an attempt only after the database has accepted it.
     * @returns false when there is no log (any more) and the attempt does not begin: then nothing was logged or published
     * @throws as `fence` does.
     */
    append: (
      writer: LogWriter,
      { seq, deltas, state }: { seq: number; deltas: DeltaText[]; state?: ReplyState | undefined },
    ): Promise<boolean> => {
      const events = eventsOf(writer, deltas);
      if (state) events.push(encodeEvent('reply:state', state));
      const entries = entriesOf(deltas);
      return append(scripts, writer, { seq, entries, events, begins: state !== undefined });
    },

    /**
     * Publishes the end of an attempt and makes the log expire soon. Nothing happens once a later attempt has begun: the worker may have
     * been frozen after it stored the end.
     */
    end: async (ownerId: string, state: ReplyState): Promise<void> => {
      const { replyId, attempt } = state;
      const event = encodeEvent('reply:state', state);
      const channel = userChannel(ownerId);
      const isLast = await scripts.endReplyLog(key(replyId), attempt, channel, event);
      if (isLast === 1) await publishApart(scripts, channel, [event]);
    },

    /** Resolves when Redis answers. */
    ping: async (): Promise<void> => {
      await redis.ping();
    },

    remove: async (replyIds: string[]): Promise<void> => {
      await Promise.all(replyIds.map((id) => redis.unlink(key(id))));
    },

    /** The number of these replies that have a log. */
    count: async (replyIds: string[]): Promise<number> => {
      const counts = await Promise.all(replyIds.map((id) => redis.exists(key(id))));
      return counts.filter((count) => count === 1).length;
    },

    /** The deltas of one attempt in order that reach beyond `offset`. */
    read: (replyId: string, attempt: number, offset: number): Promise<DeltaText[]> =>
      readDeltas(redis, { replyId, attempt, offset }),
  };
}

interface Append {
  seq: number;
  entries: [field: string, value: string][];
  events: string[];
  begins: boolean;
}

const eventsOf = ({ replyId, conversationId, attempt }: LogWriter, deltas: DeltaText[]): string[] =>
  deltas.map((delta) => {
    const published: ReplyDelta = { replyId, conversationId, attempt, ...delta };
    return encodeEvent('reply:delta', published);
  });

function entriesOf(deltas: DeltaText[]): Append['entries'] {
  const logged = deltas.map((delta): [string, string] => ['delta', JSON.stringify(delta)]);
  return logged.length > 0 ? logged : [['begin', '']];
}

async function append(
  scripts: Redis & WithScripts,
  { replyId, ownerId, attempt }: LogWriter,
  { seq, entries, events, begins }: Append,
): Promise<boolean> {
  const args = entries.flatMap(([field, value], i) => [`${attempt}-${seq + i}`, field, value]);
  const channel = userChannel(ownerId);
  const added = await scripts
    .appendToReplyLog(key(replyId), begins ? 1 : '', channel, entries.length, ...args, ...events)
    .catch((error: unknown) => {
      throw fenced(error);
    });
  if (added === 1) await publishApart(scripts, channel, events);
  return added === 1;
}

/** On a Cluster a log and its user's channel are on different servers, so no script of one reaches the other. */
async function publishApart(redis: Redis, channel: string, events: string[]): Promise<void> {
  if (isCluster(redis)) await Promise.all(events.map((event) => redis.spublish(channel, event)));
}

async function readDeltas(
  redis: Redis,
  { replyId, attempt, offset }: { replyId: string; attempt: number; offset: number },
): Promise<DeltaText[]> {
  const deltas: DeltaText[] = [];
  const start = `${attempt}-0`;
  for (let end = `${attempt}`; ; ) {
    const entries = await redis.xrevrange(key(replyId), end, start, 'COUNT', READ_COUNT);
    for (const [id, [field, value = '']] of entries) {
      end = `(${id}`;
      if (field === 'delta') deltas.push(JSON.parse(value) as DeltaText);
    }
    const first = deltas.at(-1);
    if (entries.length < READ_COUNT || (first && first.offset <= offset)) break;
  }
  return deltas.toReversed();
}
